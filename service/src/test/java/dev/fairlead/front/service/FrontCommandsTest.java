package dev.fairlead.front.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An operator maps a namespace to the project of another tenant. */
class FrontCommandsTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld operators = TestWorld.in(stores);
  private final TestWorld owners = TestWorld.in(stores);
  private final Actor operator = new Actor(operators.tenant().id(), "olga", Role.OPERATOR);
  private final Actor owner = new Actor(owners.tenant().id(), "ada", Role.TENANT_OWNER);
  private final String cluster = operators.cluster().name();
  private final FrontCommands fronts =
      new FrontCommands(
          stores.transactions(),
          stores.fronts(),
          stores.inventory(),
          stores.tenants(),
          stores.audit(),
          stores.clock());

  @BeforeEach
  void aMappingToTheProjectOfAnotherTenant() {
    String tenant = stores.tenants().tenant(owner.tenant()).map(Tenant::name).orElseThrow();
    FrontCommands.View _ =
        fronts.put(operator, cluster, "team-a", tenant, owners.project().name(), false);
  }

  private List<String> audit(TenantId tenant) {
    return stores.auditEntries().stream()
        .filter(row -> row.actor().tenant().equals(tenant))
        .map(AuditRecord::operation)
        .toList();
  }

  /** Fails when a tenant cannot see in its audit that its project was opened to a namespace. */
  @Test
  void aChangeForAnotherTenantIsInTheAuditOfBoth() {
    fronts.remove(operator, cluster, "team-a", false);

    assertThat(audit(operator.tenant()))
        .containsExactly("putFrontNamespace", "deleteFrontNamespace");
    assertThat(audit(owner.tenant())).containsExactly("putFrontNamespace", "deleteFrontNamespace");
  }

  /**
   * Fails when owners of the tenant do not see its mappings, or see mappings of other tenants, or
   * when the owner of one project, whose other roles the operation cannot distinguish, removes a
   * mapping.
   */
  @Test
  void ownersSeeAndRemoveTheMappingsOfTheirTenant() {
    Actor ofProject = new Actor(owner.tenant(), "paul", Role.PROJECT_OWNER);
    Actor foreign = new Actor(operators.tenant().id(), "fred", Role.TENANT_OWNER);

    assertThat(fronts.all(operator)).hasSize(1);
    assertThat(fronts.all(owner)).hasSize(1);
    assertThat(fronts.all(foreign)).isEmpty();
    refused(ProblemCode.NOT_FOUND, () -> fronts.remove(foreign, cluster, "team-a", false));
    refused(ProblemCode.FORBIDDEN, () -> fronts.remove(ofProject, cluster, "team-a", false));
    refused(ProblemCode.FORBIDDEN, () -> fronts.all(ofProject));

    fronts.remove(owner, cluster, "team-a", false);

    assertThat(fronts.all(operator)).isEmpty();
    assertThat(audit(owner.tenant())).containsExactly("putFrontNamespace", "deleteFrontNamespace");
  }

  private static void refused(ProblemCode code, ThrowingCallable call) {
    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(call)
        .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(code));
  }
}
