package draw

import "math"

// The functions of package math may differ in the last bit between architectures, and a compiler
// may round x*y+z once instead of twice. The functions here use only operations whose result IEEE
// 754 defines. They convert each product that is then added to float64, which forbids the single
// rounding.

// The natural logarithm of 2 as a sum. The first part has so few bits that
// its product with any exponent of a float64 is exact.
const (
	ln2High = 0x1.62e42feep-1
	ln2Low  = math.Ln2 - ln2High
)

// exp returns e to the x for |x| up to 700, within two units in the last place.
func exp(x float64) float64 {
	// x = k ln 2 + r with |r| at most half of ln 2, where fourteen terms of the
	// Taylor series are enough.
	k := math.Floor(float64(x*(1/math.Ln2)) + 0.5)
	r := (x - float64(k*ln2High)) - float64(k*ln2Low)
	tail := horner4(horner8(r, 1.0/6227020800, 1.0/479001600, 1.0/39916800, 1.0/3628800, 1.0/362880, 1.0/40320, 1.0/5040, 1.0/720),
		r, 1.0/120, 1.0/24, 1.0/6, 1.0/2)
	return math.Ldexp(1+(r+float64(float64(r*r)*tail)), int(k))
}

// log returns the natural logarithm of a positive normal x, within four units in the last place.
func log(x float64) float64 {
	// x = 2^k m with m around 1, and log m = 2 artanh s, whose series has only
	// odd powers of a small s.
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	s := (m - 1) / (m + 1)
	square := float64(s * s)
	tail := float64(float64(s*square) * horner(square,
		2.0/23, 2.0/21, 2.0/19, 2.0/17, 2.0/15, 2.0/13, 2.0/11, 2.0/9, 2.0/7, 2.0/5, 2.0/3))
	return float64(float64(k)*ln2High) + (2*s + (tail + float64(float64(k)*ln2Low)))
}

// normalQuantile returns the value that a standard normal variable is below with probability p, for
// p in (0,1). It uses M. J. Wichura's algorithm AS 241 (1988), which is accurate to about 1e-15.
func normalQuantile(p float64) float64 {
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		r := 0.180625 - float64(q*q)
		return q * horner8(r,
			2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4,
			1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080,
		) / horner8(r,
			5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
			5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1)
	}
	r := math.Sqrt(-log(min(p, 1-p)))
	var z float64
	if r <= 5 {
		r -= 1.6
		z = horner8(r,
			7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258,
			3.64784832476320460504, 5.76949722146069140550, 4.63033784615654529590, 1.42343711074968357734,
		) / horner8(r,
			1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
			6.89767334985100004550e-1, 1.67638483018380384940, 2.05319162663775882187, 1)
	} else {
		r -= 5
		z = horner8(r,
			2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
			2.96560571828504891230e-1, 1.78482653991729133580, 5.46378491116411436990, 6.65790464350110377720,
		) / horner8(r,
			2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
			1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1)
	}
	return math.Copysign(z, q)
}

// horner returns the polynomial in x with these coefficients, the highest power first. It is for log, which is rare.
func horner(x float64, coefficients ...float64) float64 {
	sum := 0.0
	for _, c := range coefficients {
		sum = float64(sum*x) + c
	}
	return sum
}

// horner4 continues a polynomial in x by four coefficients.
func horner4(sum, x, a, b, c, d float64) float64 {
	sum = float64(sum*x) + a
	sum = float64(sum*x) + b
	sum = float64(sum*x) + c
	return float64(sum*x) + d
}

// horner8 returns the polynomial of eight coefficients. It is called for every message, and a loop takes twice as long.
func horner8(x, a, b, c, d, e, f, g, h float64) float64 {
	return horner4(horner4(0, x, a, b, c, d), x, e, f, g, h)
}
