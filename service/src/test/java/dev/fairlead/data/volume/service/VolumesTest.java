package dev.fairlead.data.volume.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.data.transfer.Transfer;
import dev.fairlead.data.transfer.TransferEvent;
import dev.fairlead.data.transfer.TransferId;
import dev.fairlead.data.transfer.Transfers;
import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.e2e.ServiceParts;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.project.service.Projects;
import dev.fairlead.people.project.service.Tenants;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Instant;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Operations of project owners on volumes, and removals that volumes prevent. */
class VolumesTest {
  private static final Volume.Request HUNDRED =
      new Volume.Request(100, null, Volume.Access.READ_WRITE_ONCE);
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Actor owner = new Actor(world.tenant().id(), "ana", Role.TENANT_OWNER);
  private final Actor admin = new Actor(world.tenant().id(), "olga", Role.ADMIN);
  private final String project = world.project().name();
  private final Idempotency once = new Idempotency(stores.idempotency());
  private final Volumes volumes =
      new Volumes(
          stores.transactions(),
          stores.volumes(),
          stores.tenants(),
          stores.inventory(),
          stores.audit(),
          stores.ids(),
          stores.clock());

  private Volume claim(String name, boolean retain) {
    return volumes.claim(owner, project, name, HUNDRED, retain, false).volume();
  }

  private Volume bound(String name, boolean retain) {
    Volume placed = stored(claim(name, retain).placed(world.cluster().id()));
    return stored(
        stored(placed.provisioned("uid-" + name, stores.clock().instant()))
            .bound(stores.clock().instant()));
  }

  private Volume stored(Volume next) {
    stores.volumes().update(next);
    return next;
  }

  private void delete(String name, @Nullable Long version) {
    volumes.delete(owner, project, name, version, false);
  }

  private List<String> there() {
    return volumes.all(owner, project).stream()
        .map(shown -> shown.volume().name() + " " + shown.volume().state())
        .toList();
  }

  private static void refused(ProblemCode code, String words, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            Refusal.class,
            refusal -> {
              assertThat(refusal.code()).isEqualTo(code);
              assertThat(refusal).hasMessageContaining(words);
            });
  }

  @Test
  void identicalClaimIsIdempotent() {
    Volume first = claim("training", true);

    assertThat(claim("training", true)).isEqualTo(first);
    refused(
        ProblemCode.NAME_IN_USE,
        "a volume \"training\" of 100 GiB, ReadWriteOnce, which is CLAIMED",
        () -> claim("training", false));
    assertThat(stores.auditEntries())
        .extracting(AuditRecord::operation)
        .containsExactly("putVolume");
  }

  @Test
  void dryRunClaimsNothing() {
    assertThat(volumes.claim(owner, project, "training", HUNDRED, true, true).volume().state())
        .isEqualTo(VolumeState.CLAIMED);

    assertThat(there()).isEmpty();
  }

  @Test
  void volumeWithoutAClaimIsGoneOnDeletion() {
    claim("training", true);

    delete("training", null);

    assertThat(there()).isEmpty();
    refused(ProblemCode.NOT_FOUND, "has no volume", () -> delete("training", null));
  }

  /** Fails when a delete that is sent twice forgets where the data are. */
  @Test
  void volumeWithDataIsListedUntilItIsForgottenByVersion() {
    Volume training = bound("training", true);
    bound("scratch", false);

    delete("training", null);
    delete("scratch", null);

    assertThat(there()).containsExactly("scratch RELEASED", "training RETAINED");
    refused(
        ProblemCode.ILLEGAL_STATE,
        "Its claim " + training.claimName() + " in namespace " + world.project().namespace(),
        () -> delete("training", null));
    refused(ProblemCode.VERSION_MISMATCH, "changed", () -> delete("training", training.version()));
    refused(ProblemCode.NAME_IN_USE, "RETAINED", () -> claim("training", true));

    delete("training", training.version() + 1);
    assertThat(there()).containsExactly("scratch RELEASED");
  }

  @Test
  void lostVolumeIsGoneOnDeletion() {
    stored(bound("training", true).lost("it is gone"));

    delete("training", null);

    assertThat(there()).isEmpty();
  }

  /** Fails when data that a waiting job needs are deleted. */
  @Test
  void aVolumeIsNotDeletedWhileAJobMountsIt() {
    bound("training", true);
    Job job = world.submit(Specs.job("reads").gpus(1).volume("training"));

    refused(
        ProblemCode.IN_USE,
        "Jobs that have not ended mount volume \"training\": reads",
        () -> delete("training", null));

    Attempt attempt = world.run(world.place(job));
    refused(ProblemCode.IN_USE, "reads", () -> delete("training", null));
    world.succeed(attempt);
    delete("training", null);
    assertThat(there()).containsExactly("training RETAINED");
  }

  private Transfer copy() {
    Transfer copy =
        Transfers.copy(
            new TransferId(stores.ids().next()),
            world.project(),
            new Transfer.Side(stores.ids().next(), "training"),
            new Transfer.Side(stores.ids().next(), "training-eu"));
    stores.transfers().insert(copy);
    return copy;
  }

  /** Fails when a project is deleted with the data of a volume, or staged data is not reported. */
  @Test
  void aProjectWithVolumesIsNotDeleted() {
    Projects projects = ServiceParts.projects(stores, once);
    claim("training", true);

    refused(
        ProblemCode.IN_USE,
        "has volumes: training. Delete them first",
        () -> projects.delete(admin, project, null, false));

    delete("training", null);
    Transfer copy = copy();
    refused(
        ProblemCode.IN_USE,
        "has transfers that have not ended",
        () -> projects.delete(admin, project, null, false));

    Instant now = stores.clock().instant();
    Transfer dropping = copy.after(TransferEvent.DROPPED, "", now);
    stores.transfers().update(dropping);
    stores.transfers().update(dropping.after(TransferEvent.CLEANED, "", now));
    projects.delete(admin, project, null, false);
  }

  /** Fails when the namespaces of a tenant are deleted with the data of a volume. */
  @Test
  void aTenantWithClaimsOfVolumesIsNotArchived() {
    Tenants tenants =
        new Tenants(
            stores.transactions(),
            stores.tenants(),
            stores.quotas(),
            stores.volumes(),
            stores.legalHolds(),
            stores.leases(),
            once,
            stores.audit(),
            stores.ids());
    claim("images", true);
    Volume training = bound("training", true);

    refused(
        ProblemCode.IN_USE,
        "has volumes with data on clusters: training.",
        () -> tenants.archive(admin, null, false));

    delete("training", null);
    delete("training", training.version() + 1);
    assertThat(tenants.archive(admin, null, false).state()).isEqualTo(Tenant.State.ARCHIVING);
  }
}
