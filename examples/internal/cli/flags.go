// Package cli owns what the command-line tools of this module share: flags that are spelt as those of
// Kafka's own tools, the way from properties to a producer's Config, and how a tool starts and ends.
package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// flags.go owns the flags of a tool. They belong to the goroutine that parses them.

// Flags are the flags of one tool. The standard library parses them: one dash is as good as two, a value
// follows behind a blank or a "=". What it lacks is brought into its form first: flags with several values
// in a row, and flags whose value may be left out.
type Flags struct {
	tool, about string
	set         *flag.FlagSet
	arguments   map[string]argument
	needed      []string
	instead     map[string]string // of a deprecated flag, which one to use
	given       map[string]bool
	refused     []string
}

// argument is how many values a flag takes.
type argument string

const (
	none     argument = "none" // a switch
	one      argument = "one"
	optional argument = "optional"
	many     argument = "many" // one or more behind each mention
)

// NewFlags returns the flags of a tool; about says in a few words what it does.
func NewFlags(tool, about string) *Flags {
	f := &Flags{
		tool: tool, about: about, set: flag.NewFlagSet(tool, flag.ContinueOnError),
		arguments: make(map[string]argument), instead: make(map[string]string), given: make(map[string]bool),
	}
	f.set.SetOutput(io.Discard)
	f.Switch("help", "print this and end")
	return f
}

// Text adds a flag with a text for a value. In help, as in that of all flags, `backquotes` name the value.
func (f *Flags) Text(name, standard, help string) *string {
	f.arguments[name] = one
	return f.set.String(name, standard, help)
}

// Switch adds a flag without a value.
func (f *Flags) Switch(name, help string) *bool {
	f.arguments[name] = none
	return f.set.Bool(name, false, help)
}

// Whole adds a flag with a whole number for a value; standard may be "", then it is 0.
func (f *Flags) Whole(name, standard, help string) *int64 {
	n := new(number[int64])
	f.number(name, standard, help, n)
	return &n.value
}

// Rate adds a flag with a number for a value, whole or not; standard may be "", then it is 0.
func (f *Flags) Rate(name, standard, help string) *float64 {
	n := new(number[float64])
	f.number(name, standard, help, n)
	return &n.value
}

func (f *Flags) number(name, standard, help string, n flag.Value) {
	if standard != "" {
		if err := n.Set(standard); err != nil {
			panic(err) // the tool's own mistake
		}
	}
	f.arguments[name] = one
	f.set.Var(n, name, help)
}

// List adds a flag that may be given again and again. With inRow, several values may follow one mention.
func (f *Flags) List(name string, inRow bool, help string) *[]string {
	f.arguments[name] = one
	if inRow {
		f.arguments[name] = many
	}
	l := new(list)
	f.set.Var(l, name, help)
	return (*[]string)(l)
}

// Maybe adds a flag whose value may be left out, and is bare then.
func (f *Flags) Maybe(name, bare, help string) *string {
	f.arguments[name] = optional
	m := &maybe{bare: bare}
	f.set.Var(m, name, help)
	return &m.value
}

// Refuse adds a flag that Kafka's tool has and this one cannot have, for a reason. takesValue says whether
// it is one with a value.
func (f *Flags) Refuse(name string, takesValue bool, help, reason string) {
	f.arguments[name] = none
	if takesValue {
		f.arguments[name] = one
	}
	f.set.Var(&refusal{f: f, name: name, reason: reason, takesValue: takesValue}, name, help+" (not supported: "+reason+")")
}

// Need says which flags must be given.
func (f *Flags) Need(names ...string) { f.needed = append(f.needed, names...) }

// Deprecate says which flag to use instead of another.
func (f *Flags) Deprecate(name, instead string) { f.instead[name] = instead }

// Parse reads the arguments of a command line. It prints the help to s.Out and returns flag.ErrHelp if that
// is asked for, and warns of deprecated flags on s.Err.
func (f *Flags) Parse(s Std, args []string) error {
	err := f.set.Parse(f.expand(args))
	if errors.Is(err, flag.ErrHelp) || f.set.Lookup("help").Value.String() == "true" {
		f.help(s.Out)
		return flag.ErrHelp
	}
	if err != nil {
		return fmt.Errorf("%w; --help lists the flags", err)
	}
	if len(f.refused) > 0 {
		return errors.New(strings.Join(f.refused, "; "))
	}
	if f.set.NArg() > 0 {
		return fmt.Errorf("%q is neither a flag nor the value of one; --help lists the flags", f.set.Arg(0))
	}
	f.set.Visit(func(fl *flag.Flag) {
		f.given[fl.Name] = true
		if instead := f.instead[fl.Name]; instead != "" {
			s.Warn("--%s is deprecated, use --%s", fl.Name, instead)
		}
	})
	var missing []string
	for _, name := range f.needed {
		if !f.given[name] {
			missing = append(missing, "--"+name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s must be given; --help lists the flags", strings.Join(missing, ", "))
	}
	return nil
}

// Given says, after Parse, whether a flag was there.
func (f *Flags) Given(name string) bool { return f.given[name] }

// Exclusive returns an error if more than one of the flags was given.
func (f *Flags) Exclusive(names ...string) error {
	var there []string
	for _, name := range names {
		if f.given[name] {
			there = append(there, "--"+name)
		}
	}
	if len(there) > 1 {
		return fmt.Errorf("%s exclude each other", strings.Join(there, " and "))
	}
	return nil
}

// expand writes every value behind a "=", so that the standard library need not know how many there are.
func (f *Flags) expand(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		name, ok := flagName(args[i])
		if !ok {
			return append(out, args[i:]...)
		}
		values := args[i+1:]
		n := 0
		switch f.arguments[name] {
		case one:
			n = min(1, len(values))
		case optional:
			n = min(1, plain(values))
			if n == 0 {
				out = append(out, "--"+name+"=")
				continue
			}
		case many:
			n = plain(values)
		}
		if n == 0 {
			out = append(out, args[i])
		}
		for _, v := range values[:n] {
			out = append(out, "--"+name+"="+v)
		}
		i += n
	}
	return out
}

// flagName is the name in an argument that starts with dashes. With a "=" and a value in it, it is no
// flag's, which leaves the argument as it is.
func flagName(arg string) (name string, ok bool) {
	if len(arg) < 2 || arg[0] != '-' || arg == "--" {
		return "", false
	}
	return strings.TrimPrefix(arg[1:], "-"), true
}

// plain counts the arguments before the next that starts with a dash.
func plain(args []string) int {
	for i, arg := range args {
		if strings.HasPrefix(arg, "-") {
			return i
		}
	}
	return len(args)
}

// help prints all flags.
func (f *Flags) help(w io.Writer) {
	fmt.Fprintf(w, "usage: %s", f.tool)
	for _, name := range f.needed {
		what, _ := flag.UnquoteUsage(f.set.Lookup(name))
		fmt.Fprintf(w, " --%s %s", name, what)
	}
	fmt.Fprintf(w, " [flags]\n\n%s\n\n", f.about)
	f.set.VisitAll(func(fl *flag.Flag) {
		what, help := flag.UnquoteUsage(fl)
		switch f.arguments[fl.Name] {
		case none:
			what = ""
		case optional:
			what = " [" + what + "]"
		case many:
			what = " " + what + " [" + what + " ...]"
		default:
			what = " " + what
		}
		if instead := f.instead[fl.Name]; instead != "" {
			help += "; deprecated, use --" + instead
		}
		if fl.DefValue != "" && f.arguments[fl.Name] != none {
			help += " (default: " + fl.DefValue + ")"
		}
		fmt.Fprintf(w, "  --%s%s\n        %s\n", fl.Name, what, help)
	})
}

// Table describes all flags, for tests to compare: in alphabetical order, in each line a flag's name,
// how many values it takes, whether it must be given, and its default, with tabs between.
func (f *Flags) Table() string {
	needed := make(map[string]string)
	for _, name := range f.needed {
		needed[name] = "required"
	}
	var b strings.Builder
	f.set.VisitAll(func(fl *flag.Flag) {
		standard := fl.DefValue
		if f.arguments[fl.Name] == none {
			standard = ""
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\n", fl.Name, f.arguments[fl.Name], needed[fl.Name], standard)
	})
	return b.String()
}
