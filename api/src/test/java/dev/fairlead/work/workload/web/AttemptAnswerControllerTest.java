package dev.fairlead.work.workload.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.kernel.body.BodyReader;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptCredential;
import dev.fairlead.work.attempt.CheckpointLimit;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.progress.WatchedAttempt;
import dev.fairlead.work.workload.service.attempt.AttemptAnswers;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.security.authentication.TestingAuthenticationToken;

/** Calls of attempts. */
class AttemptAnswerControllerTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(10);

  /** Fails when a working program ends as hung because of a wrong number. */
  @Test
  void reportWithAnInvalidNumberIsRejectedAndCountsAsACall() throws Exception {
    MemoryStores stores = MemoryStores.empty(1);
    TestWorld world = TestWorld.in(stores);
    Cluster cluster = stores.inventory().cluster(world.cluster().id()).orElseThrow();
    stores
        .inventory()
        .configure(
            cluster.configured(
                cluster.capacity(),
                cluster.pricePerGpuHour(),
                cluster.settings().withCallback("https://fairlead.example.com")),
            null);
    Job job = world.submit(Specs.job("trains").progress(TIMEOUT));
    Attempt attempt = world.run(world.place(job));
    Instant now = stores.jobs().now();
    stores
        .progress()
        .begin(
            List.of(
                new WatchedAttempt(
                    attempt.id(), job.id(), job.tenant(), attempt.cluster(), TIMEOUT, now, null)));
    AttemptAnswerController controller =
        new AttemptAnswerController(
            new AttemptAnswers(
                stores.transactions(),
                stores.jobs(),
                new JobWriter(stores.jobs(), stores.explanations(), t -> {}),
                stores.progress(),
                stores.outputs(),
                new CheckpointLimit(Duration.ofHours(1))),
            null);
    AttemptCredential own = new AttemptCredential(job.tenant(), job.id(), attempt.id());
    byte[] body = "{\"step\": 9, \"total\": 8}".getBytes(StandardCharsets.UTF_8);

    assertThatThrownBy(() ->
            controller.progress(
                new TestingAuthenticationToken(own, ""),
                attempt.id().text(),
                BodyReader.json(new ByteArrayInputStream(body))))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("/total");

    assertThat(stores.progress().due(now.plus(Duration.ofDays(1)), 10))
        .singleElement()
        .extracting(WatchedAttempt::calledAt)
        .isNotNull();
    assertThat(stores.progress().reports(job.tenant(), List.of(attempt.id()))).isEmpty();
  }
}
