package dev.fairlead.people.audit.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.licence.service.LicenceView;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigVersion;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.work.world.TestWorld;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Reverts of configuration changes that are refused. */
class ConfigRevertRefusalTest extends ConfigCommandsScene {

  private void refused(long version, ProblemCode code, String... words) {
    assertThatThrownBy(() -> reverts.revert(admin, version, false, false))
        .isInstanceOfSatisfying(
            Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo(code))
        .hasMessageContainingAll(words);
  }

  /** Fails when later changes are lost unasked. */
  @Test
  void revertOverALaterChangeIsRejectedUnlessForced() {
    long first = weighs(7);
    long second = weighs(9);

    refused(first, ProblemCode.VERSION_MISMATCH, second + " (updateQuota, root)", "force=true");
    assertThat(queue().weight()).isEqualTo(9);
    ConfigVersion made = reverts.revert(admin, first, true, false);
    assertThat(made.cause().reverts()).isEqualTo(first);
    assertThat(queue().weight()).isEqualTo(world.queue().weight());
  }

  /** Fails when a revert overwrites a change that is not in this history. */
  @Test
  void revertPastTheHistoryIsRejectedToo() {
    long version = weighs(7);
    QuotaNode now = queue();
    stores
        .transactions()
        .run(
            () -> stores.quotas().update(now.with().weight(12).version(now.version() + 1).build()));

    refused(version, ProblemCode.VERSION_MISMATCH, "that is not in this history");
  }

  /** Fails when a change of a licence from another tenant is overwritten. */
  @Test
  void licenceChangedFromAnotherTenantIsRejected() {
    LicenceView _ = licences.put(admin, new Licence("ansys", 3), false);
    LicenceView _ = licences.put(admin, new Licence("ansys", 5), false);
    long version = newest();
    Actor elsewhere = admin.in(TestWorld.in(stores).tenant().id());
    LicenceView _ = licences.put(elsewhere, new Licence("ansys", 8), false);

    refused(version, ProblemCode.VERSION_MISMATCH, "that is not in this history");
  }

  /** Fails when a licence that by chance has its earlier count again counts as unchanged. */
  @Test
  void revertOfALicenceAlreadyAtItsCountIsRejected() {
    LicenceView _ = licences.put(admin, new Licence("ansys", 3), false);
    LicenceView _ = licences.put(admin, new Licence("ansys", 5), false);
    long version = newest();
    LicenceView _ = licences.put(admin, new Licence("ansys", 8), false);
    LicenceView _ = licences.put(admin, new Licence("ansys", 5), false);

    refused(version, ProblemCode.VERSION_MISMATCH, newest() + " (putLicence, root)");
  }

  @Test
  void creationsAndDeletionsCannotBeReverted() {
    LicenceView _ = licences.put(admin, new Licence("ansys", 3), false);
    refused(newest(), ProblemCode.ILLEGAL_STATE, "deletes nothing");
    LicenceView _ = licences.put(admin, new Licence("ansys", 5), false);
    long changed = newest();
    licences.delete(admin, "ansys", false);
    refused(newest(), ProblemCode.ILLEGAL_STATE, "creates nothing");
    assertThatThrownBy(() -> reverts.revert(admin, changed, true, false))
        .hasMessageContaining("no longer exists");
    assertThat(licences.all(admin)).isEmpty();
  }

  private long stored(ConfigKind kind, @Nullable Object before) {
    stores
        .audit()
        .append(
            new AuditRecord(admin, "update", "x", true, new TreeMap<>())
                .kept(kind, world.queue().name(), before, Map.of("of", "after")));
    return newest();
  }

  /** Fails when half of a document that a later version wrote is applied. */
  @Test
  void aDocumentOfAnotherVersionAndAPriceAreRefused() {
    refused(
        stored(ConfigKind.QUEUE, Map.of("of", "before")),
        ProblemCode.ILLEGAL_STATE,
        "another version of");
    refused(stored(ConfigKind.PRICE, null), ProblemCode.ILLEGAL_STATE, "never changes");
    assertThat(queue()).isEqualTo(world.queue());
  }

  /** Fails when a version of another tenant is reverted, or one without its permission. */
  @Test
  void revertNeedsThePermissionsOfTheChange() {
    long version = weighs(7);
    Actor elsewhere = new Actor(TestWorld.in(stores).tenant().id(), "eve", Role.TENANT_OWNER);
    denied(elsewhere, version, ProblemCode.NOT_FOUND);
    denied(in(Role.TENANT_MEMBER), version, ProblemCode.FORBIDDEN);
    denied(in(Role.AUDITOR), version, ProblemCode.FORBIDDEN);
    Tenant _ = tenants.update(admin, "Research", null, false);
    denied(in(Role.TENANT_OWNER), newest(), ProblemCode.NOT_FOUND);
    LicenceView _ = licences.put(admin, new Licence("ansys", 3), false);
    LicenceView _ = licences.put(admin, new Licence("ansys", 5), false);
    denied(in(Role.TENANT_OWNER), newest(), ProblemCode.FORBIDDEN);
    assertThat(queue().weight()).isEqualTo(7);
  }

  private void denied(Actor actor, long version, ProblemCode code) {
    assertThatThrownBy(() -> reverts.revert(actor, version, true, false))
        .isInstanceOfSatisfying(
            Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo(code));
  }
}
