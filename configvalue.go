package producer

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// configvalue.go owns how Java reads the text of a property, and how the outcome gets into a field and
// back. Pure functions.

// configKind is the type of a key, by Java's name.
type configKind string

const (
	kindBoolean  configKind = "BOOLEAN"
	kindShort    configKind = "SHORT"  // 16 bits
	kindInt      configKind = "INT"    // 32 bits
	kindLong     configKind = "LONG"   // 64 bits
	kindDouble   configKind = "DOUBLE" // 64 bits
	kindString   configKind = "STRING"
	kindList     configKind = "LIST"
	kindPassword configKind = "PASSWORD" // text that nobody may see
	kindClass    configKind = "CLASS"    // name of a Java class: no value of it is wrong here
)

// configRule is what a value must be beyond its kind. The zero rule allows everything.
type configRule struct {
	bounded   bool
	low, high float64 // if bounded
	notZero   bool
	notEmpty  bool
	oneOf     []string // if there are any
	anyCase   bool     // of the letters in oneOf
}

func atLeast(n float64) configRule         { return configRule{bounded: true, low: n, high: math.Inf(1)} }
func between(low, high float64) configRule { return configRule{bounded: true, low: low, high: high} }
func oneOf(names ...string) configRule     { return configRule{oneOf: names} }
func anyCase(names ...string) configRule   { return configRule{oneOf: names, anyCase: true} }

// trim is Java's String.trim: it takes away control characters and blanks.
func trim(s string) string { return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' }) }

// parse turns trimmed text into a bool, an int64, a float64, a string or a []string.
func (k configKind) parse(text string) (any, error) {
	switch k {
	case kindBoolean:
		switch {
		case strings.EqualFold(text, "true"):
			return true, nil
		case strings.EqualFold(text, "false"):
			return false, nil
		}
		return nil, fmt.Errorf("%q is neither true nor false", text)
	case kindShort:
		return parseWhole(text, 16)
	case kindInt:
		return parseWhole(text, 32)
	case kindLong:
		return parseWhole(text, 64)
	case kindDouble:
		return parseDouble(text)
	case kindList:
		return parseList(text), nil
	}
	return text, nil
}

func parseWhole(text string, bits int) (any, error) {
	n, err := strconv.ParseInt(text, 10, bits)
	if err != nil {
		return nil, fmt.Errorf("%q is not a whole number of %d bits", text, bits)
	}
	return n, nil
}

// parseDouble also reads Java's suffixes, as in 0.8d.
func parseDouble(text string) (any, error) {
	digits := text
	if text != "" && strings.ContainsAny(text[len(text)-1:], "dDfF") {
		digits = text[:len(text)-1]
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || strings.Contains(text, "_") {
		return nil, fmt.Errorf("%q is not a number", text)
	}
	return n, nil
}

// parseList splits at commas, and takes the blanks around them away. No text is no element; but between
// two commas there is one, even if it is empty.
func parseList(text string) []string {
	if text == "" {
		return []string{}
	}
	elements := strings.Split(text, ",")
	for i, e := range elements {
		elements[i] = trim(e)
	}
	return elements
}

// check says what a rule has against a parsed value.
func (r configRule) check(v any) error {
	switch v := v.(type) {
	case int64:
		return r.checkNumber(float64(v), strconv.FormatInt(v, 10))
	case float64:
		return r.checkNumber(v, strconv.FormatFloat(v, 'g', -1, 64))
	case string:
		return r.checkText(v)
	case []string:
		if slices.Contains(v, "") {
			return fmt.Errorf("an element of %q is empty", strings.Join(v, ","))
		}
		if r.notEmpty && len(v) == 0 {
			return fmt.Errorf("the list is empty")
		}
	}
	return nil
}

func (r configRule) checkNumber(n float64, text string) error {
	switch {
	case r.bounded && n < r.low:
		return fmt.Errorf("%s is less than %v", text, r.low)
	case r.bounded && n > r.high:
		return fmt.Errorf("%s is more than %v", text, r.high)
	case r.notZero && n == 0:
		return fmt.Errorf("0 is not allowed")
	}
	return nil
}

func (r configRule) checkText(text string) error {
	if r.notEmpty && text == "" {
		return fmt.Errorf("it is empty")
	}
	same := func(name string) bool { return name == text || r.anyCase && strings.EqualFold(name, text) }
	if len(r.oneOf) > 0 && !slices.ContainsFunc(r.oneOf, same) {
		return fmt.Errorf("%q is none of %s", text, strings.Join(r.oneOf, ", "))
	}
	return nil
}

// milliseconds is n of them, at most forever; what is negative is -1.
func milliseconds(n int64) time.Duration {
	if n > int64(forever/time.Millisecond) {
		return forever
	}
	return time.Duration(max(n, -1)) * time.Millisecond
}

// assign puts a parsed value of the right kind into the field that at points to.
func assign(at, v any) {
	switch at := at.(type) {
	case *bool:
		*at = v.(bool)
	case *int:
		*at = int(v.(int64))
	case *int64:
		*at = v.(int64)
	case *time.Duration:
		*at = milliseconds(v.(int64))
	case *string:
		*at = v.(string)
	case *Compression:
		*at = Compression(v.(string))
	case *Acks:
		if n, err := strconv.ParseInt(v.(string), 10, 16); err == nil {
			*at = Acks(n)
		} else {
			*at = AcksAll
		}
	case *[]string:
		*at = v.([]string)
	default:
		panic(fmt.Sprintf("no way to assign to %T", at))
	}
}

// show is the text of the field that at points to, as Java would read it.
func show(at any) string {
	switch at := at.(type) {
	case *time.Duration:
		return strconv.FormatFloat(float64(*at)/float64(time.Millisecond), 'f', -1, 64)
	case *Acks:
		if *at == AcksAll {
			return "all"
		}
		return strconv.Itoa(int(*at))
	case *[]string:
		return strings.Join(*at, ",")
	case *bool:
		return strconv.FormatBool(*at)
	case *int:
		return strconv.Itoa(*at)
	case *int64:
		return strconv.FormatInt(*at, 10)
	case *string:
		return *at
	case *Compression:
		return string(*at)
	}
	panic(fmt.Sprintf("no way to show %T", at))
}
