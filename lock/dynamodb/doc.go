// Package dynamodb has the locks in a table of Amazon DynamoDB, written with the AWS SDK for Go.
package dynamodb
