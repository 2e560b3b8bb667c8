package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.MemberDevices;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Devices of a member in a database that a newer process shares. */
class NewerDeviceReporterTest {
  private static final HeldDevice DEVICE =
      new HeldDevice("GPU-5ca9e8b1-0000-4000-8000-000000000001", false);

  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  /** Fails when a source that only the newer process knows prevents every read of the attempt. */
  @Test
  void reportOfAnUnknownSourceIsOmitted() {
    Attempt runs = world.run(world.place(world.submit(Specs.job("one"))));
    world.reported(runs, DeviceReporter.NODE_AGENT, List.of(DEVICE));
    int rows =
        stores
            .transactions()
            .forAllTenants(() ->
                stores
                    .jdbc()
                    .sql(
                        """
                        UPDATE member SET devices =
                          (devices || replace(devices::text, 'NODE_AGENT', 'NEWER')::jsonb)
                        """)
                    .update());
    assertThat(rows).isPositive();

    assertThat(stores.jobs().attempts(runs.job(), 1))
        .singleElement()
        .extracting(attempt -> attempt.members().getFirst().devices().reports())
        .isEqualTo(List.of(new MemberDevices.Report(DeviceReporter.NODE_AGENT, List.of(DEVICE))));
  }
}
