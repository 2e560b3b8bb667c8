package dev.fairlead.care.health.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.NodeAllocations.PodDevices;
import dev.fairlead.care.health.service.AllocationIntake;
import dev.fairlead.care.health.service.DeviceIntake;
import dev.fairlead.care.health.service.FaultIsolation;
import dev.fairlead.care.health.service.HealthIntake;
import dev.fairlead.care.health.service.spi.DeviceHolders;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.BodyReader;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reports of monitors with several parts. */
class HealthEventControllerTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final DeviceIntake devices =
      new DeviceIntake(stores.transactions(), stores.inventory(), stores.devices(), stores.clock());
  private final HealthEventController controller =
      new HealthEventController(
          new HealthIntake(
              stores.transactions(),
              stores.inventory(),
              stores.health(),
              new FaultIsolation(stores.health(), stores.inventory(), stores.ids()),
              devices,
              stores.audit(),
              stores.ids(),
              stores.clock()),
          new AllocationIntake(
              stores.transactions(), stores.inventory(), new Moved(), stores.clock()));

  /** The job of each pod changes while its devices are stored. */
  private static final class Moved implements DeviceHolders {
    @Override
    public void reported(NodeId node, List<PodDevices> pods, String reporter) {
      throw new Conflict(Conflict.Guard.VERSION, "the job of the pod");
    }

    @Override
    public List<Candidate> candidates(Incident incident) {
      return List.of();
    }
  }

  /**
   * Fails when a fault waits until the job of a pod can be written. The sender repeats the rest.
   */
  @Test
  void faultIsStoredWhenPodDevicesCannotBeStored() throws IOException {
    world.report(NodeReports.node("node-1").gpus(8).build());
    String now = stores.clock().instant().toString();
    String text =
        """
        {"events": [{"id": "one", "at": "%s", "node": "node-1", "xid": 79}],
         "allocations": [{"node": "node-1", "at": "%s", "pods": []}]}
        """
            .formatted(now, now);
    Body body = BodyReader.yaml(new ByteArrayInputStream(text.getBytes(UTF_8)));
    HealthEventsRequest request = BodyBinder.bind(body, HealthEventsRequest.class);
    Actor operator = new Actor(world.tenant().id(), "olga", Role.ADMIN);

    assertThatThrownBy(() -> controller.report(operator, world.cluster().name(), request))
        .isInstanceOf(Conflict.class);
    assertThat(stores.health().standing(world.cluster().id())).hasSize(1);
  }
}
