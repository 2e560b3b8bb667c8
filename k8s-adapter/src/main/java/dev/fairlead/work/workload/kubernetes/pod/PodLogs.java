package dev.fairlead.work.workload.kubernetes.pod;

import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.workload.LogRequest;
import dev.fairlead.work.workload.kubernetes.call.ReportedText;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Streams a member's output through the API server. */
public final class PodLogs {
  private static final int LONGEST_ERROR = 2000;
  private static final int LONGEST_MESSAGE = 500;

  private PodLogs() {}

  /**
   * @throws IOException if there is no output, or no response within the time. The message is for
   *     people
   */
  public static InputStream open(KubernetesClient client, LogRequest request, long timeoutMillis)
      throws IOException {
    String path =
        "api/v1/namespaces/"
            + request.namespace()
            + "/pods/"
            + ObjectNames.pod(request.attempt(), request.member());
    HttpRequest get =
        client
            .getHttpClient()
            .newHttpRequestBuilder()
            .uri(
                URI.create(
                    client.getConfiguration().getMasterUrl() + path + "/log" + query(request)))
            .build();
    CompletableFuture<HttpResponse<InputStream>> answer =
        client.getHttpClient().sendAsync(get, InputStream.class);
    HttpResponse<InputStream> response = await(answer, timeoutMillis);
    if (!response.isSuccessful()) {
      try (InputStream body = response.body()) {
        throw new IOException(message(client, response.code(), body.readNBytes(LONGEST_ERROR)));
      }
    }
    return new KubeletOutput(response.body(), request.since() == null);
  }

  private static String query(LogRequest request) {
    StringBuilder query =
        new StringBuilder("?timestamps=true&container=")
            .append(Objects.requireNonNullElse(request.container(), PodSpecs.CONTAINER))
            .append("&follow=")
            .append(request.follow());
    if (request.tail() != null) {
      query.append("&tailLines=").append(request.tail());
    }
    if (request.since() != null) { // the API uses whole seconds
      String time = request.since().truncatedTo(ChronoUnit.SECONDS).toString();
      query.append("&sinceTime=").append(URLEncoder.encode(time, StandardCharsets.UTF_8));
    }
    return query.toString();
  }

  private static HttpResponse<InputStream> await(
      CompletableFuture<HttpResponse<InputStream>> answer, long timeoutMillis) throws IOException {
    try {
      return answer.get(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw new IOException("the cluster does not answer", e);
    } catch (ExecutionException e) {
      throw new IOException("the cluster does not answer", e);
    }
  }

  private static String message(KubernetesClient client, int code, byte[] body) {
    String text = new String(body, StandardCharsets.UTF_8);
    try {
      var status =
          client
              .getKubernetesSerialization()
              .unmarshal(text, io.fabric8.kubernetes.api.model.Status.class);
      String told =
          status == null ? null : ReportedText.words(status.getMessage(), LONGEST_MESSAGE);
      return told == null ? "HTTP " + code : told;
    } catch (RuntimeException noStatus) {
      return "HTTP " + code;
    }
  }
}
