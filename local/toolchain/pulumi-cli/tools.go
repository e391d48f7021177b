//go:build tools

// Package tools pins the Pulumi CLI and everything that it is built of; go.mod and go.sum belong to this import.
package tools

import _ "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
