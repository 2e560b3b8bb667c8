// Submits a job and follows it, with the client that openapi-generator writes for Go.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"example.com/fairlead"
)

var ends = []string{"SUCCEEDED", "FAILED", "CANCELLED"}

func main() {
	configuration := fairlead.NewConfiguration()
	configuration.Servers = fairlead.ServerConfigurations{{URL: os.Getenv("FAIRLEAD_URL")}}
	client := fairlead.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), fairlead.ContextAccessToken, os.Getenv("FAIRLEAD_TOKEN"))

	request := fairlead.NewSubmitJobRequest()
	request.SetName("client-go")
	request.SetImage("busybox:1.37")
	request.SetCommand([]string{"true"})
	request.SetAnnotations(map[string]string{"sim.fairlead.dev/run-for": "1s"})
	job, _, err := client.JobsAPI.SubmitJob(ctx, "default").SubmitJobRequest(*request).Execute()
	check(err)
	for {
		page, _, err := client.JobsAPI.ListProjectJobs(ctx, "default").Name("client-go").Execute()
		check(err)
		for _, each := range page.Items {
			if each.Id == job.Id && slices.Contains(ends, string(each.State)) {
				events, _, err := client.JobsAPI.ListJobEvents(ctx, job.Id).Execute()
				check(err)
				fmt.Print(each.State)
				for _, event := range events.Items {
					fmt.Print(" ", event.Type)
				}
				fmt.Println()
				return
			}
		}
		time.Sleep(500 * time.Millisecond)
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
