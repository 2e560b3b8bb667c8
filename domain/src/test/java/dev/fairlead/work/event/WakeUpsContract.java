package dev.fairlead.work.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.work.event.WakeUps.Topic;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Contract of every {@link WakeUps}. The absence of signals without a commit cannot be tested here.
 */
public abstract class WakeUpsContract {
  private static final long BOUND_SECONDS = 60;

  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  @Test
  void submittedJobWakesListenersForJobs() throws Exception {
    assertWakes(Topic.JOBS, () -> world.submit(Specs.job("new")));
  }

  @Test
  void attemptWakesListenersForAttempts() throws Exception {
    Job job = world.submit(Specs.job("one"));

    assertWakes(Topic.ATTEMPTS, () -> world.place(job));
  }

  @Test
  void changedNodeWakesListenersForInventory() throws Exception {
    assertWakes(Topic.INVENTORY, () -> world.report(NodeReports.node("node-1").cordoned().build()));
  }

  @Test
  void changedLimitWakesListenersForQuotas() throws Exception {
    assertWakes(Topic.QUOTAS, () -> world.limit(world.queue()));
  }

  @ParameterizedTest
  @EnumSource(
      value = Topic.class,
      names = {"SERVICES", "ROUTES"})
  void changedServiceWakesListenersForItsTopic(Topic topic) throws Exception {
    assertWakes(topic, () -> stores.services().changed(topic));
  }

  /** Fails when a loop without documents learns of the first document only by its next pass. */
  @Test
  void documentsWakeListenersForSettings() throws Exception {
    String name = world.uniqueName("eda");
    ConfigDocument<Licence> licence =
        new ConfigDocument<>(Licence.DOCUMENTS, name, null, null, new Licence(name, 1), 0);

    assertWakes(Topic.SETTINGS, () -> stores.configs().put(licence));
    assertWakes(
        Topic.SETTINGS,
        () ->
            stores
                .configs()
                .remove(stores.configs().find(Licence.DOCUMENTS, null, name).orElseThrow()));
  }

  @Test
  void listenerIsNotifiedOfTheChange() throws Exception {
    Semaphore seen = new Semaphore(0);
    Job job = world.newJob(Specs.job("visible").build());
    try (WakeUps.Subscription subscription =
        stores
            .wakeUps()
            .subscribe(
                Topic.JOBS,
                () ->
                    stores
                        .jobs()
                        .find(world.tenant().id(), job.id())
                        .ifPresent(j -> seen.release()))) {
      world.submit(job);
      assertThat(seen.tryAcquire(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
    }
  }

  private void assertWakes(Topic topic, Runnable change) throws InterruptedException {
    Semaphore woken = new Semaphore(0);
    try (WakeUps.Subscription subscription = stores.wakeUps().subscribe(topic, woken::release)) {
      change.run();
      assertThat(woken.tryAcquire(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
    }
  }
}
