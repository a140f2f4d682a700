// parse_test.go is about reading a judge's output: it runs everywhere.

package judge

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadLines_RefusesWhatIsNotWhole(t *testing.T) {
	const record = "3 7 -1 - aGk= \n"
	tests := map[string]struct {
		text string
		want string // part of the error; "" is none
	}{
		"whole":            {record + "end 1\n", ""},
		"empty":            {"end 0\n", ""},
		"cut off":          {record, "ended early"},
		"wrong count":      {record + "end 2\n", "says 2"},
		"more after end":   {"end 0\n" + record, "after its end"},
		"too few fields":   {"3 7 -1 - aGk=\nend 1\n", errFields.Error()},
		"not base64":       {"3 7 -1 - !! \nend 1\n", "illegal base64"},
		"partition":        {"x 7 -1 - - \nend 1\n", "invalid syntax"},
		"header, no colon": {"3 7 -1 - - aGk=\nend 1\n", "colon"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := readLines(strings.NewReader(test.text), func(Record) {})
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			assert.Contains(t, err.Error(), test.want)
		})
	}
}

func TestReadLines_TellsNullFromEmpty(t *testing.T) {
	var got []Record
	err := readLines(strings.NewReader("0 1 2 -  YQ==:-,YQ==:\nend 1\n"), func(r Record) { got = append(got, r) })
	require.NoError(t, err)
	assert.Equal(t, []Record{{
		Offset: 1, Timestamp: 2, Key: nil, Value: []byte{}, Headers: []Header{{"a", nil}, {"a", []byte{}}},
	}}, got)
}
