//go:build tools

// Package tools pins the language host for YAML and everything that it is built of; go.mod and go.sum belong to this import.
package tools

import _ "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml"
