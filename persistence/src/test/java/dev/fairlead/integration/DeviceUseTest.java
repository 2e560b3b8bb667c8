package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.care.health.device.Device;
import dev.fairlead.care.health.device.DeviceSource;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.money.statement.DeviceUse;
import dev.fairlead.money.statement.StatementStore;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.MemberDevices;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Devices in the use of a tenant, while members run and afterwards. */
class DeviceUseTest {
  private static final String FIRST = "GPU-5ca9e8b1-0000-4000-8000-000000000001";
  private static final String SECOND = "GPU-5ca9e8b1-0000-4000-8000-000000000002";
  private static final Duration MUCH = Duration.ofDays(1);
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  private List<DeviceUse> uses(TenantId tenant, DeviceUse.Key after, int limit) {
    Instant now = world.now();
    return stores
        .bean(StatementStore.class)
        .devices(tenant, now.minus(MUCH), now.plus(MUCH), after, limit);
  }

  private List<DeviceUse> uses() {
    return uses(world.tenant().id(), null, 100);
  }

  private Attempt observed(String name, String... gpus) {
    Attempt attempt =
        world.run(world.place(world.submit(Specs.job(name).gpus(gpus.length)), 0, "node-1"));
    return world.reported(attempt, DeviceReporter.POD_STATUS, whole(gpus));
  }

  private static List<HeldDevice> whole(String... gpus) {
    return List.of(gpus).stream().map(gpu -> new HeldDevice(gpu, false)).toList();
  }

  /** Fails when use loses its device at the end of the member, or a long member has no use yet. */
  @Test
  void useOfAnObservedDeviceHasItsUuidBeforeAndAfterTheEnd() {
    Attempt attempt = observed("train", SECOND, FIRST);
    Node node = world.node("node-1");
    Device known =
        new Device(
            FIRST,
            "1653922",
            node.cluster(),
            node.id(),
            node.name(),
            DeviceSource.INVENTORY,
            world.now(),
            world.now(),
            null);
    stores.transactions().run(() -> stores.devices().write(List.of(known), List.of()));

    for (boolean ended : new boolean[] {false, true}) {
      if (ended) {
        world.succeed(attempt);
      }
      assertThat(uses())
          .as("ended: %s", ended)
          .extracting(use -> use.key().gpu(), DeviceUse::serial, use -> use.names().node())
          .containsExactly(tuple(FIRST, "1653922", "node-1"), tuple(SECOND, null, "node-1"));
    }
    assertThat(uses())
        .allSatisfy(use -> {
          assertThat(use.milliMillis()).isPositive().isEqualTo(uses().getFirst().milliMillis());
          assertThat(use.names().project()).isEqualTo(world.project().name());
          assertThat(use.key().model()).isEqualTo("H100");
        });
    assertThat(uses(TestWorld.in(stores).tenant().id(), null, 100)).as("of others").isEmpty();
  }

  /**
   * Fails when a node that renumbers its GPUs after a reboot changes the devices of earlier use.
   */
  @Test
  void useOfAChosenDeviceRetainsItsUuidAfterTheNodeRenumberedItsGpus() {
    int _ = world.report(NodeReports.node("node-1").devices(FIRST, SECOND).build());
    Attempt attempt = world.run(world.place(world.submit(Specs.job("one").gpus(1)), 0, "node-1"));
    String chosen = attempt.members().getFirst().gpus().getFirst().serial();
    int _ = world.report(NodeReports.node("node-1").devices(SECOND, FIRST).build());

    world.succeed(attempt);

    assertThat(uses()).extracting(use -> use.key().gpu()).containsExactly(chosen);
  }

  /** Fails when sources that disagree name a device, or its time is missing. */
  @Test
  void useOfADisputedDeviceIsInTheSumOfItsNode() {
    Attempt attempt = observed("disputed", FIRST);
    world.succeed(world.reported(attempt, DeviceReporter.NODE_AGENT, whole(SECOND)));

    assertThat(uses())
        .singleElement()
        .satisfies(use -> {
          assertThat(use.key().gpu()).isEmpty();
          assertThat(use.names().node()).isEqualTo("node-1");
          assertThat(use.milliMillis()).isPositive();
        });
  }

  /** Fails when a page repeats or omits a device, such as the unknown ones of the first page. */
  @Test
  void pagesHaveEachDeviceOnce() {
    observed("known", FIRST, SECOND);
    world.run(world.place(world.submit(Specs.job("unknown").gpus(1)), 0, "node-1"));
    DeviceUse first = uses(world.tenant().id(), null, 1).getFirst();
    DeviceUse second = uses(world.tenant().id(), first.key(), 1).getFirst();

    assertThat(List.of(first, second))
        .extracting(use -> use.key().gpu())
        .containsExactly("", FIRST);
    assertThat(uses(world.tenant().id(), second.key(), 2))
        .extracting(use -> use.key().gpu())
        .containsExactly(SECOND);
  }

  private static List<GpuShare> slots(int milli, String... serials) {
    return IntStream.range(0, serials.length)
        .mapToObj(i -> new GpuShare(i, serials[i], milli))
        .toList();
  }

  private List<String> named(List<GpuShare> slots, MemberDevices devices) {
    return stores
        .jdbc()
        .sql("SELECT unnest(fairlead_devices(CAST(:held AS jsonb), CAST(:reports AS jsonb)))")
        .param("held", Json.write(slots))
        .param("reports", Json.write(devices.reports()))
        .query((row, _) -> String.valueOf(row.getString(1)))
        .list();
  }

  /** Fails when use names devices that an attempt shows as unknown. */
  @Test
  void useNamesTheDevicesThatTheMemberShows() {
    MemberDevices none = MemberDevices.NONE;
    MemberDevices one = none.with(DeviceReporter.POD_STATUS, whole(FIRST));
    MemberDevices both = none.with(DeviceReporter.POD_STATUS, whole(FIRST, SECOND));
    MemberDevices part = none.with(DeviceReporter.NODE_AGENT, List.of(new HeldDevice(FIRST, true)));
    MemberDevices disputed = one.with(DeviceReporter.NODE_AGENT, whole(SECOND));
    for (List<GpuShare> slots :
        List.of(
            slots(1000, "n/0"),
            slots(1000, "n/1", "n/0"),
            slots(250, "n/0"),
            slots(1000, FIRST),
            slots(1000, SECOND, FIRST))) {
      for (MemberDevices devices : List.of(none, one, both, part, disputed)) {
        GpuIdentity identity = devices.identity(slots);
        List<String> named = named(slots, devices);
        assertThat(named).as("%s of %s", devices, slots).hasSameSizeAs(slots);
        if (identity == GpuIdentity.ENFORCED || identity == GpuIdentity.ALLOCATING) {
          assertThat(named).isEqualTo(slots.stream().map(GpuShare::serial).toList());
        } else if (identity == GpuIdentity.OBSERVED) {
          assertThat(named).isSubsetOf(FIRST, SECOND).doesNotHaveDuplicates();
        } else {
          assertThat(named).as("%s of %s", devices, slots).containsOnly("null");
        }
      }
    }
  }
}
