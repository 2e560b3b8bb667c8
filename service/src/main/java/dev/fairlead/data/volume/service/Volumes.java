package dev.fairlead.data.volume.service;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantStore;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Claims, lists and deletes volumes of projects. */
@Service
public class Volumes {
  private static final int MOST_NAMED = 10;

  private final Transactions transactions;
  private final VolumeStore volumes;
  private final TenantStore tenants;
  private final InventoryStore inventory;
  private final AuditLog audit;
  private final IdSource ids;
  private final InstantSource clock;

  public Volumes(
      Transactions transactions,
      VolumeStore volumes,
      TenantStore tenants,
      InventoryStore inventory,
      AuditLog audit,
      IdSource ids,
      InstantSource clock) {
    this.transactions = transactions;
    this.volumes = volumes;
    this.tenants = tenants;
    this.inventory = inventory;
    this.audit = audit;
    this.ids = ids;
    this.clock = clock;
  }

  /**
   * A volume as the API returns it.
   *
   * @param cluster name of its cluster, null while it is claimed
   * @param namespace namespace of its claim
   */
  public record View(Volume volume, @Nullable String cluster, String namespace) {}

  /**
   * Lists volumes by name.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND (project)
   */
  public List<View> all(Actor actor, String project) {
    Permissions.require(actor, "listVolumes");
    return transactions.read(() -> {
      Project of = tenants.project(actor, project);
      return volumes.all(actor.tenant(), of.id()).stream().map(volume -> view(of, volume)).toList();
    });
  }

  /**
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public View one(Actor actor, String project, String name) {
    Permissions.require(actor, "getVolume");
    return transactions.read(() -> {
      Project of = tenants.project(actor, project);
      return view(of, found(actor, of, name));
    });
  }

  private View view(Project project, Volume volume) {
    ClusterId cluster = volume.cluster();
    String name =
        cluster == null ? null : inventory.cluster(cluster).map(Cluster::name).orElse(null);
    return new View(volume, name, project.namespace());
  }

  /**
   * Claims a volume. A repeated request has no effect.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND (project), NAME_IN_USE for a different volume of that
   *     name, LIMIT_EXCEEDED beyond {@link Volume#MOST}
   */
  public View claim(
      Actor actor,
      String project,
      String name,
      Volume.Request request,
      boolean retain,
      boolean validateOnly) {
    Permissions.require(actor, "putVolume");
    AtomicReference<View> result = new AtomicReference<>();
    try {
      transactions.runOrTry(
          validateOnly,
          () -> {
            Project of = tenants.project(actor, project);
            Volume old = volumes.find(actor.tenant(), of.id(), name).orElse(null);
            Volume now = old == null ? claimed(actor, of, name, request, retain) : old;
            if (!now.request().equals(request) || now.retain() != retain || !now.usable()) {
              throw taken(project, now);
            }
            result.set(view(of, now));
          });
    } catch (Conflict raced) {
      throw new Refusal(
          ProblemCode.NAME_IN_USE,
          "Project %s already has a volume \"%s\".".formatted(project, name));
    }
    return Objects.requireNonNull(result.get(), "it was claimed");
  }

  private Volume claimed(
      Actor actor, Project project, String name, Volume.Request request, boolean retain) {
    if (volumes.all(actor.tenant(), project.id()).size() >= Volume.MOST) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "Project %s has %d volumes, the maximum. Delete volumes that no job mounts."
              .formatted(project.name(), Volume.MOST));
    }
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    Volume volume =
        Volume.claimed(
            ids.next(),
            actor.tenant(),
            project.id(),
            name,
            request,
            retain,
            new Volume.Made(now, actor.name()));
    volumes.insert(volume);
    audit(actor, "putVolume", project, null, volume);
    return volume;
  }

  private static Refusal taken(String project, Volume volume) {
    return new Refusal(
        ProblemCode.NAME_IN_USE,
        ("Project %s has a volume \"%s\" of %d GiB, %s, which is %s. A volume cannot be changed."
                + " Use another name, or delete that volume.")
            .formatted(
                project,
                volume.name(),
                volume.request().sizeGib(),
                volume.request().access().text(),
                volume.state()));
  }

  /**
   * Deletes a volume. A volume with a claim remains in the list, with its claim on the cluster,
   * until it is deleted again with its new version. A volume without a claim is removed.
   *
   * @param expected version that the caller has read, null for any
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, IN_USE while a job that has not ended
   *     mounts it, ILLEGAL_STATE when it was deleted and {@code expected} is absent
   */
  public void delete(
      Actor actor, String project, String name, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, "deleteVolume");
    try {
      transactions.runOrTry(
          validateOnly,
          () -> {
            Project of = tenants.project(actor, project);
            Volume old = found(actor, of, name);
            if (expected != null && old.version() != expected) {
              throw changed(name);
            }
            unused(actor, of, old);
            delete(actor, of, old, expected != null);
          });
    } catch (Conflict raced) {
      throw changed(name);
    }
  }

  private void delete(Actor actor, Project project, Volume old, boolean sure) {
    boolean left = old.state() == VolumeState.RETAINED || old.state() == VolumeState.RELEASED;
    if (left && !sure) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          ("Volume \"%s\" is already deleted. Its claim %s in namespace %s remains on the"
                  + " cluster. Delete it there if its data is no longer needed. To remove it from"
                  + " Fairlead, delete it again with If-Match (fairlead volume delete --forget).")
              .formatted(old.name(), old.claimName(), project.namespace()));
    }
    if (!left && old.hasClaim()) {
      Volume ended = old.ended();
      volumes.update(ended);
      audit(actor, "deleteVolume", project, old, ended);
    } else {
      volumes.delete(old);
      audit(actor, "deleteVolume", project, old, null);
    }
  }

  private void unused(Actor actor, Project project, Volume volume) {
    List<String> users = volumes.users(actor.tenant(), project.id(), volume.name(), MOST_NAMED + 1);
    if (!users.isEmpty()) {
      throw new Refusal(
          ProblemCode.IN_USE,
          "Jobs that have not ended mount volume \"%s\": %s%s. Cancel them first."
              .formatted(
                  volume.name(),
                  String.join(", ", users.subList(0, Math.min(users.size(), MOST_NAMED))),
                  users.size() > MOST_NAMED ? " and more" : ""));
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

  private static Refusal changed(String name) {
    return Refusal.changed("Volume \"" + name + "\"");
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
    detail.put("state", volume.state().name());
    if (volume.hasClaim()) {
      detail.put("claim", volume.claimName());
    }
    audit.append(
        new AuditRecord(actor, operation, project.name(), true, detail)
            .changed("volume/" + volume.id(), before, after));
  }
}
