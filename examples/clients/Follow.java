import java.util.List;
import java.util.Map;
import java.util.Set;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.JobsApi;
import org.openapitools.client.model.JobResponse;
import org.openapitools.client.model.PageJobResponse;
import org.openapitools.client.model.SubmitJobRequest;

/** Submits a job and follows it, with the client that openapi-generator writes for Java. */
final class Follow {
  private static final Set<String> ENDS = Set.of("SUCCEEDED", "FAILED", "CANCELLED");

  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("FAIRLEAD_URL"));
    client.setRequestInterceptor(request ->
        request.header("Authorization", "Bearer " + System.getenv("FAIRLEAD_TOKEN")));
    JobsApi jobs = new JobsApi(client);
    SubmitJobRequest request =
        new SubmitJobRequest()
            .name("client-java")
            .image("busybox:1.37")
            .command(List.of("true"))
            .annotations(Map.of("sim.fairlead.dev/run-for", "1s"));
    JobResponse job = jobs.submitJob("default", request, null, null, null);
    while (true) {
      PageJobResponse page =
          jobs.listProjectJobs(
              "default", null, null, null, "client-java", null, null, null, null, null, null, null,
              null);
      for (JobResponse each : page.getItems()) {
        String state = String.valueOf(each.getState());
        if (each.getId().equals(job.getId()) && ENDS.contains(state)) {
          StringBuilder line = new StringBuilder(state);
          jobs.listJobEvents(job.getId(), null, null)
              .getItems()
              .forEach(event -> line.append(' ').append(event.getType()));
          System.out.println(line);
          return;
        }
      }
      Thread.sleep(500);
    }
  }
}
