package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.work.workload.ClusterGateway;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clusters with objects so large that a page may exceed the limit of a response. */
class LargeObjectsTest {
  private static final Duration NEVER = Duration.ofMinutes(10);

  /** The objects of others, as large as etcd takes them. */
  private static final int LARGEST = 3 << 19;

  /** Fails when a page of the largest pods of jobs is longer than an answer may be. */
  @Test
  void clusterFullOfTheLargestPodsIsRead() {
    pods(200, 390_000, 128);
  }

  /** Fails when a page of foreign objects that is too long is requested repeatedly. */
  @Tag("long")
  @Test
  void clusterWithObjectsLargerThanAnyJobIsSeen() {
    pods(60, LARGEST, 32);
  }

  /**
   * Fails when large foreign Jobs prevent reads of a front cluster, or when pages stay short after
   * the Jobs are deleted.
   */
  @Test
  void frontClusterOfLargeJobsIsRead() {
    LyingApiServer server = new LyingApiServer();
    server.lies("list jobs", e -> FakePages.send(e, 60, i -> sized("j" + i, LARGEST)));
    try (server;
        ClusterGateway gateway = server.connect("east", Duration.ofMinutes(5), NEVER)) {
      until(() -> gateway.contact().synced());
      seen(gateway);
      assertThat(pageOfJobs(server)).isEqualTo(32);
      server.lies("list jobs", e -> FakePages.send(e, 1, i -> sized("j" + i, 1)));
      again(gateway);
      assertThat(pageOfJobs(server)).as("pages were long").isEqualTo(32);
      again(gateway);
      assertThat(pageOfJobs(server)).isEqualTo(64);
    }
  }

  private static void again(ClusterGateway gateway) {
    gateway.front().follow(false);
    seen(gateway);
  }

  private static void seen(ClusterGateway gateway) {
    until(() -> {
      gateway.front().follow(true);
      return gateway.front().view().complete();
    });
  }

  /** The number of Jobs requested last. */
  private static int pageOfJobs(LyingApiServer server) {
    String last =
        server.requests().stream()
            .filter(asked -> asked.contains("/jobs?") && asked.contains("limit="))
            .reduce("", (before, asked) -> asked);
    return Integer.parseInt(last.replaceAll(".*limit=([0-9]+).*", "$1"));
  }

  /**
   * @param page final page size
   */
  private static void pods(int count, int size, int page) {
    LyingApiServer server = new LyingApiServer();
    server.lies(
        "list pods", e -> FakePages.send(e, ours(e) ? count : 0, i -> sized("p" + i, size)));
    try (server;
        ClusterGateway gateway = server.connect("east", Duration.ofMinutes(5), NEVER)) {
      until(() -> gateway.contact().synced() && gateway.contact().trouble() == null);
      assertThat(server.requests())
          .anyMatch(asked -> asked.contains("limit=" + page))
          .noneMatch(asked -> asked.contains("limit=" + page / 2));
    }
  }

  /**
   * Waits long, because a slow machine lists hundreds of megabytes several times. A list that
   * requests its next page while its client closes throws on a thread of the client, which is not a
   * failure.
   */
  private static void until(Callable<Boolean> seen) {
    await().dontCatchUncaughtExceptions().atMost(Duration.ofMinutes(5)).until(seen);
  }

  private static String sized(String name, int size) {
    return "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"others\",\"annotations\":{\"a\":\"%s\"}}}"
        .formatted(name, "&".repeat(size));
  }

  private static boolean ours(HttpExchange exchange) {
    return exchange.getRequestURI().getQuery().contains("labelSelector=fairlead.dev/installation=");
  }
}
