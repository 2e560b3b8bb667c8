package dev.fairlead.kernel.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class OpenHandlesTest {
  private final OpenHandles handles = new OpenHandles(6, "streams open here");
  private final TenantId tenant = new TenantId(new UUID(0, 1));
  private final Actor other = new Actor(new TenantId(new UUID(0, 2)), "bea", Role.TENANT_OWNER);

  private Actor caller(String name) {
    return new Actor(tenant, name, Role.TENANT_OWNER);
  }

  private void refused(Actor actor) {
    assertThatThrownBy(() -> handles.enter(actor))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("streams open here");
  }

  /** Fails when all callers share a single bound. */
  @Test
  void callerHoldsAtMostHalfOfTheHandles() {
    OpenHandles.Handle first = handles.enter(caller("ana"));
    handles.enter(caller("ana"));
    handles.enter(caller("ana"));

    refused(caller("ana"));
    assertThat(handles.enter(caller("ben"))).isNotNull();

    first.close();
    first.close();
    assertThat(handles.enter(caller("ana"))).isNotNull();
    refused(caller("ana"));
  }

  /** Fails when a caller multiplies its share with service accounts. */
  @Test
  void theServiceAccountsOfATenantLeaveRoomToOtherTenants() {
    for (int i = 0; i < 5; i++) {
      handles.enter(caller("sa:" + i));
    }

    refused(caller("sa:more"));
    assertThat(handles.enter(other)).isNotNull();
    refused(other);
  }
}
