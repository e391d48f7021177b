//go:build tools

// Package tools pins the language host for Node and everything that it is built of; go.mod and go.sum belong to this import.
package tools

import _ "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs"
