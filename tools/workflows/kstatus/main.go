// Command kstatus reads an object as JSON and prints its status by the rules of kstatus: Current, Failed, InProgress ...
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

func main() {
	object := &unstructured.Unstructured{}
	if err := json.NewDecoder(os.Stdin).Decode(&object.Object); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	result, err := status.Compute(object)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(result.Status)
}
