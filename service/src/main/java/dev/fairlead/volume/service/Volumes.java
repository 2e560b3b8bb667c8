package dev.fairlead.volume.service;

import dev.fairlead.audit.AuditLog;
import dev.fairlead.audit.AuditRecord;
import dev.fairlead.identity.IdSource;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Permissions;
import dev.fairlead.tenant.Project;
import dev.fairlead.tenant.TenantStore;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Transactions;
import dev.fairlead.volume.Volume;
import dev.fairlead.volume.VolumeStore;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Volumes of projects. */
@Service
public class Volumes {
  private final Transactions transactions;
  private final VolumeStore volumes;
  private final TenantStore tenants;
  private final AuditLog audit;
  private final IdSource ids;
  private final InstantSource clock;

  public Volumes(
      Transactions transactions,
      VolumeStore volumes,
      TenantStore tenants,
      AuditLog audit,
      IdSource ids,
      InstantSource clock) {
    this.transactions = transactions;
    this.volumes = volumes;
    this.tenants = tenants;
    this.audit = audit;
    this.ids = ids;
    this.clock = clock;
  }

  /**
   * By name.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND (project)
   */
  public List<Volume> all(Actor actor, String project) {
    Permissions.require(actor, "listVolumes");
    return transactions.read(() -> volumes.all(actor.tenant(), project(actor, project).id()));
  }

  /**
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public Volume one(Actor actor, String project, String name) {
    Permissions.require(actor, "getVolume");
    return transactions.read(() -> found(actor, project(actor, project), name));
  }

  /**
   * Makes a volume, or replaces what one asks for.
   *
   * @param expected version that the caller has seen, null when any will do, or none yet
   * @throws Refusal FORBIDDEN, NOT_FOUND (project), VERSION_MISMATCH, LIMIT_EXCEEDED beyond {@link
   *     Volume#MOST}
   */
  public Volume put(
      Actor actor,
      String project,
      String name,
      Volume.Claim claim,
      @Nullable Long expected,
      boolean validateOnly) {
    Permissions.require(actor, "putVolume");
    AtomicReference<Volume> written = new AtomicReference<>();
    try {
      transactions.runOrTry(
          validateOnly,
          () -> {
            Project of = project(actor, project);
            Volume old = volumes.find(actor.tenant(), of.id(), name).orElse(null);
            if (expected != null && (old == null || old.version() != expected)) {
              throw changed(name);
            }
            Volume next = next(actor, of, name, old, claim);
            if (old == null) {
              volumes.insert(next);
            } else {
              volumes.update(next);
            }
            audit(actor, "putVolume", of, old, next);
            written.set(next);
          });
    } catch (Conflict raced) {
      throw changed(name);
    }
    return Objects.requireNonNull(written.get(), "it was written");
  }

  private Volume next(
      Actor actor, Project project, String name, @Nullable Volume old, Volume.Claim claim) {
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    Volume.Change change = new Volume.Change(now, actor.name());
    if (old != null) {
      return old.replaced(claim, change);
    }
    if (volumes.all(actor.tenant(), project.id()).size() >= Volume.MOST) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "Project %s has %d volumes, and may have no more. Delete those that are not needed."
              .formatted(project.name(), Volume.MOST));
    }
    return new Volume(ids.next(), actor.tenant(), project.id(), name, claim, now, change, 1);
  }

  /**
   * @param expected version that the caller has seen, null when any will do
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH
   */
  public void delete(
      Actor actor, String project, String name, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, "deleteVolume");
    try {
      transactions.runOrTry(
          validateOnly,
          () -> {
            Project of = project(actor, project);
            Volume old = found(actor, of, name);
            if (expected != null && old.version() != expected) {
              throw changed(name);
            }
            volumes.delete(old);
            audit(actor, "deleteVolume", of, old, null);
          });
    } catch (Conflict raced) {
      throw changed(name);
    }
  }

  private Volume found(Actor actor, Project project, String name) {
    return volumes
        .find(actor.tenant(), project.id(), name)
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "Project " + project.name() + " has no volume \"" + name + "\"."));
  }

  private Project project(Actor actor, String name) {
    return tenants
        .projectNamed(actor.tenant(), name)
        .orElseThrow(
            () -> new Refusal(ProblemCode.NOT_FOUND, "There is no project \"" + name + "\"."));
  }

  private static Refusal changed(String name) {
    return new Refusal(
        ProblemCode.VERSION_MISMATCH,
        "Volume \"" + name + "\" was changed since it was read. Read it again and repeat.");
  }

  private void audit(
      Actor actor,
      String operation,
      Project project,
      @Nullable Volume before,
      @Nullable Volume after) {
    Volume volume = Objects.requireNonNull(after == null ? before : after);
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("volume", volume.name());
    detail.put("version", volume.version());
    audit.append(
        new AuditRecord(actor, operation, project.name(), true, detail)
            .changed("volume/" + volume.id(), before, after));
  }
}
