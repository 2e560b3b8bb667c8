package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.money.statement.StatementUse;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.Replica;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.cost.ReplicaTime;
import dev.fairlead.work.serving.traffic.RouteOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Use of GPUs by the replicas of a model service, by a clock that the test sets. */
class ReplicaTimesTest extends BudgetsByClock {
  private static final long GPU_HOUR = 1000 * HOUR;
  private final UseLedger ledger = stores.bean(UseLedger.class);
  private final UsageStore usage = stores.bean(UsageStore.class);
  private final ModelServiceId chat = new ModelServiceId(stores.ids().next());

  private Attempt replica(ModelServiceId service, String name, String node) {
    Specs spec = Specs.job(name).gpus(2).annotation(ServiceVersion.OF_SERVICE, service.bare());
    return world.run(world.place(world.submit(spec), 0, node));
  }

  private void serves(JobId... replicas) {
    ModelService settings =
        new ModelService(
            chat,
            "chat",
            world.project().name(),
            chat.bare() + ".example",
            1,
            2,
            ModelService.DEFAULT_STEPS,
            Duration.ofSeconds(30),
            Duration.ofSeconds(1),
            null,
            List.of(),
            null,
            ModelService.Access.KEYS,
            null,
            List.of(),
            RouteOptions.NONE);
    TenantId tenant = world.tenant().id();
    String document = ModelService.document(world.project().id(), "chat");
    ConfigDocument<ModelService> _ =
        stores
            .configs()
            .put(
                new ConfigDocument<>(
                    ModelService.DOCUMENTS, document, tenant, world.project().id(), settings, 0));
    stores
        .services()
        .insert(
            ServiceState.first(chat, tenant, document, settings.route())
                .withReplicas(
                    Stream.of(replicas)
                        .map(job -> new Replica(1, 0, 1, 0, job, null, false, "", false))
                        .toList()));
  }

  /** Sums the hours as the loop usage does. */
  private void sum(int hours) {
    for (int hour = 0; hour < hours; hour++) {
      HourBook book = new HourBook(MIDDLE + hour * HOUR, ledger.now());
      usage.gpus(book.hourMillis(), book.toMillis(), book::add);
      ledger.write(book.sums().facts());
      assertThat(ledger.stored(book.hourMillis()).differences(book.sums().facts())).isEmpty();
    }
  }

  /** GPU-hours by the index of the span. */
  private SortedMap<Integer, Long> held(TenantId tenant, long to, Long... begins) {
    SortedMap<Integer, Long> sums = new TreeMap<>();
    for (ReplicaTime each : ReplicaTime.of(ledger, tenant, Set.of(chat), List.of(begins), to)) {
      assertThat(each.cluster()).isEqualTo(world.cluster().id());
      sums.merge(each.span(), each.milliMillis() / GPU_HOUR, Long::sum);
    }
    return sums;
  }

  /** Fails when another job counts, or a replica that runs counts twice or not at all. */
  @Test
  void theUseOfEndedAndPresentReplicasIsDividedIntoSpans() {
    Attempt ended = replica(chat, "chat-v1-0", "node-1");
    Attempt other = replica(new ModelServiceId(stores.ids().next()), "other-v1-0", "node-1");
    Attempt batch = world.run(world.place(world.submit(Specs.job("b").gpus(1)), 0, "node-2"));
    clock.to(MIDDLE + 3 * HOUR);
    world.succeed(ended);
    world.succeed(other);
    world.succeed(batch);
    Attempt present = replica(chat, "chat-v1-1", "node-1");
    serves(ended.job(), present.job());
    clock.to(MIDDLE + 5 * HOUR);
    sum(5);

    TenantId tenant = world.tenant().id();
    long to = MIDDLE + 24 * HOUR;
    assertThat(held(tenant, to, MIDDLE - HOUR, MIDDLE + HOUR, MIDDLE + 4 * HOUR))
        .containsExactly(entry(0, 2L), entry(1, 4L + 2L), entry(2, 2L));
    assertThat(held(tenant, MIDDLE + 2 * HOUR, MIDDLE + HOUR)).containsOnly(entry(0, 2L));
    assertThat(held(tenant, to, MIDDLE + 6 * HOUR)).isEmpty();
    assertThat(held(new TenantId(stores.ids().next()), to, MIDDLE)).isEmpty();
    assertThat(billed()).isEqualTo(2 * 5 + 2 * 3 + 3);
  }

  /** GPU-hours of all jobs in the statement of the month. */
  private long billed() {
    PriceSpans month =
        new PriceSpans(
            new PriceBook(List.of()),
            Instant.ofEpochMilli(NEXT_MONTH),
            Instant.ofEpochMilli(MIDDLE + 24 * HOUR));
    long[] sum = new long[1];
    StatementUse.each(ledger, world.tenant().id(), month, use -> sum[0] += use.milliMillis());
    return sum[0] / GPU_HOUR;
  }
}
