package dev.fairlead.work.workload.kubernetes.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.MemberSession;
import dev.fairlead.work.workload.SessionRequest;
import dev.fairlead.work.workload.kubernetes.DeafServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Sessions against an API server that opens them and then reads nothing. */
class PodSessionTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** More than the buffers of both ends of a connection. */
  private static final int MUCH = 32 << 20;

  /**
   * Fails when a session whose member reads no input leaves its sender waiting after the end: each
   * such session would occupy a thread until the member ends.
   */
  @Test
  void endFreesASenderWhoseInputIsNotRead() throws Exception {
    try (DeafServer server = new DeafServer()) {
      try (KubernetesClient client = client(server.port())) {
        MemberSession session =
            PodSession.open(client, request(), new Silent(), PATIENCE.toMillis());
        session.send(ByteBuffer.allocate(MUCH));
        CompletableFuture<Void> next =
            CompletableFuture.runAsync(
                () -> {
                  try {
                    session.send(ByteBuffer.allocate(2));
                  } catch (IOException ended) {
                    throw new IllegalStateException(ended.getMessage());
                  }
                },
                Thread::startVirtualThread);
        session.close();

        assertThatThrownBy(() -> next.get(10, TimeUnit.SECONDS))
            .hasMessageContaining("the session has ended");
        server.close();
      }
    }
  }

  private static KubernetesClient client(int port) {
    Config config = Config.empty();
    config.setMasterUrl("http://127.0.0.1:" + port + "/");
    config.setRequestRetryBackoffLimit(0);
    return new KubernetesClientBuilder()
        .withConfig(config)
        .withHttpClientFactory(new JdkHttpClientFactory())
        .build();
  }

  private static SessionRequest request() {
    return new SessionRequest(
        new AttemptId(new UUID(1, 1)),
        "fairlead-acme",
        new MemberKey("worker", 0, 0),
        null,
        new SessionRequest.Command(List.of("cat"), true, false));
  }

  private static final class Silent implements MemberSession.Receiver {
    @Override
    public void frame(ByteBuffer frame) {
      assertThat(frame.remaining()).isPositive();
    }

    @Override
    public void ended(String why) {
      assertThat(why).isNotNull();
    }
  }
}
