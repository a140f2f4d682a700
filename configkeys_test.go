package producer

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// javasRule is a rule as Java prints it, but for the order of names whose case does not matter.
func javasRule(r configRule) string {
	switch {
	case len(r.oneOf) > 0 && r.anyCase:
		names := slices.Clone(r.oneOf)
		for i, name := range names {
			names[i] = strings.ToUpper(name)
		}
		slices.Sort(names)
		return fmt.Sprintf("(case insensitive) [%s]", strings.Join(names, ", "))
	case len(r.oneOf) > 0:
		return fmt.Sprintf("[%s]", strings.Join(r.oneOf, ", "))
	case r.notEmpty:
		return "non-empty string"
	case r.notZero:
		return fmt.Sprintf("[1,...,%v] or %v", r.high, r.low)
	case r.bounded && math.IsInf(r.high, 1):
		return fmt.Sprintf("[%v,...]", r.low)
	}
	return fmt.Sprintf("[%v,...,%v]", r.low, r.high)
}

// normal is how the two sides agree to write a rule.
func normal(rule string) string {
	rule = strings.NewReplacer("0.0,", "0,", "1.0]", "1]", "2147483647", fmt.Sprint(float64(math.MaxInt32))).Replace(rule)
	names, ok := strings.CutPrefix(rule, "(case insensitive) [")
	if !ok {
		return rule
	}
	sorted := strings.Split(strings.TrimSuffix(names, "]"), ", ")
	slices.Sort(sorted)
	return "(case insensitive) [" + strings.Join(sorted, ", ") + "]"
}

func TestConfigKeys_EveryKeyOfJava(t *testing.T) {
	ours := make(map[string]configKey)
	for _, k := range configKeys() {
		assert.NotContains(t, ours, k.name, "once")
		ours[k.name] = k
	}
	fields := 0
	for _, row := range rows(t, "producer-configs.tsv") {
		t.Run(row[0], func(t *testing.T) {
			k, ok := ours[row[0]]
			if !assert.True(t, ok, "neither a field nor ignored") {
				return
			}
			delete(ours, k.name)
			assert.Equal(t, row[1], string(k.kind))
			if row[3] != "" {
				assert.Equal(t, normal(row[3]), normal(javasRule(k.rule)))
			} else if k.name != "bootstrap.servers" {
				assert.Zero(t, k.rule)
			}
			if k.field == "" {
				assert.Nil(t, k.at)
				assert.NotEmpty(t, k.about, "the reason why it is ignored")
				return
			}
			fields++
			var cfg Config
			field := reflect.ValueOf(&cfg).Elem().FieldByName(k.field)
			if assert.True(t, field.IsValid(), "there is no field %s", k.field) && k.at != nil {
				assert.Equal(t, field.Addr().Pointer(), reflect.ValueOf(k.at(&cfg)).Pointer(), "at points elsewhere")
			}
		})
	}
	assert.Empty(t, slices.Collect(maps.Keys(ours)), "Java has no such keys")
	t.Logf("%d keys have a field", fields)
}

func TestConfigKeys_EveryFieldHasOneOrIsGos(t *testing.T) {
	named := map[string]bool{"Partitioner": true, "Dial": true, "Logger": true, "ClusterListener": true}
	for _, k := range configKeys() {
		named[k.field] = true
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		assert.True(t, named[f.Name] || !f.IsExported(), f.Name)
	}
}
