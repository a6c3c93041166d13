// Package packaging holds the files for CI systems and releases. It has tests only, no code.
//
//   - ci.sh has the steps of a CI job. action.yml, in the root, calls it for GitHub Actions, and
//     gitlab.yml for GitLab; docs/ci.md describes both.
//   - Dockerfile makes an image, goreleaser.yaml the archives of a release, and snapshot.sh the
//     programs in them without goreleaser.
//   - fleet has an image, a compose file and a Kubernetes manifest of a fleet. The tests of the module fleet
//     check them.
//
// The tests execute the steps of the action, of the template and of the workflows in docs/ci.md, as
// far as that is possible without the CI services.
package packaging
