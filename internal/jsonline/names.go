package jsonline

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Names is what the fields of a struct are called in JSON.
type Names map[string]bool

// NamesOf is the names of the fields of T, which is a struct, and of the
// structs embedded in it. A field without a name of its own has none here.
func NamesOf[T any]() Names {
	names := Names{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names[name] = true
		}
	}
	return names
}

// Read is json.Unmarshal of an object and nothing else into the struct whose
// names n are, each in its own letters. Other names are let pass, for who
// writes may know more than we do, but not one of n in other letters: it means
// something, and encoding/json would take it for what it says.
func (n Names) Read(object []byte, into any) error {
	members, err := Members(object, nil)
	if err != nil {
		return err
	}
	for _, m := range members {
		if n[m.Name] {
			continue
		}
		for name := range n {
			if strings.EqualFold(name, m.Name) {
				return fmt.Errorf("the field %.40q is called %q", m.Name, name)
			}
		}
	}
	return json.Unmarshal(object, into)
}
