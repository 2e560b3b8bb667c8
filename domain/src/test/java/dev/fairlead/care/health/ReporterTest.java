package dev.fairlead.care.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Credential;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Callers that may report the health of a cluster. */
class ReporterTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final Cluster own = TestWorld.in(stores).cluster();
  private final TestWorld world = TestWorld.in(stores);
  private final Cluster other = world.cluster();

  private Actor by(@Nullable UUID cluster, Role... roles) {
    TreeSet<Role> held = new TreeSet<>(List.of(roles));
    Credential token =
        new Credential(new UUID(0, 9), world.tenant().id(), stores.clock().instant(), cluster);
    return new Actor(world.tenant().id(), "dcgm", held, null, token, held);
  }

  /**
   * Fails when an added role without the permission to report lets a monitor report for clusters
   * other than its token's.
   */
  @Test
  void monitorIsBoundToTheClusterOfItsTokenWhateverItMayRead() {
    for (Role[] roles : new Role[][] {{Role.MONITOR}, {Role.MONITOR, Role.AUDITOR}}) {
      Actor monitor = by(own.id().value(), roles);
      assertThatCode(() -> Reporter.require(monitor, own)).doesNotThrowAnyException();
      refused(monitor, other);
      refused(by(null, roles), own);
    }
    refused(by(own.id().value(), Role.AUDITOR), own);
  }

  @Test
  void anOperatorReportsForEachCluster() {
    Actor operator = by(null, Role.OPERATOR, Role.MONITOR);
    assertThatCode(() -> Reporter.require(operator, own)).doesNotThrowAnyException();
    assertThatCode(() -> Reporter.require(operator, other)).doesNotThrowAnyException();
  }

  private static void refused(Actor actor, Cluster cluster) {
    assertThatThrownBy(() -> Reporter.require(actor, cluster))
        .isInstanceOfSatisfying(
            Refusal.class, r -> assertThat(r.code()).isEqualTo(ProblemCode.FORBIDDEN));
  }
}
