package dev.fairlead.people.audit.service;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigRevert;
import dev.fairlead.people.audit.ConfigVersion;
import dev.fairlead.people.audit.RevertRequest;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Cause;
import dev.fairlead.people.tenant.Permissions;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.springframework.stereotype.Service;

/** Reverts changes of the configuration. */
@Service
public class ConfigCommands {
  /** Kinds that are append-only, and the alternative to a revert. */
  private static final Map<ConfigKind, String> NEVER_CHANGED =
      Map.of(
          ConfigKind.PRICE,
          "concerns a price, which never changes: add a price that replaces it, with POST /prices"
              + " and replaces",
          ConfigKind.IDLE_COST,
          "concerns an idle cost policy, which never changes: add another with POST"
              + " /idle-cost-policies");

  /** Maximum number of later versions that a refusal names. */
  private static final int SHOWN = 20;

  private final Transactions transactions;
  private final ConfigQueries queries;
  private final Map<ConfigKind, ConfigRevert> reverts = new EnumMap<>(ConfigKind.class);

  /**
   * @param reverts one of each kind except prices
   */
  public ConfigCommands(
      Transactions transactions, ConfigQueries queries, List<ConfigRevert> reverts) {
    this.transactions = transactions;
    this.queries = queries;
    reverts.forEach(revert -> this.reverts.put(revert.kind(), revert));
    for (ConfigKind kind : ConfigKind.values()) {
      if (!NEVER_CHANGED.containsKey(kind) && !this.reverts.containsKey(kind)) {
        throw new IllegalStateException("a ConfigRevert of " + kind + " is missing");
      }
    }
  }

  /**
   * Restores an object to its state before the change, by the command of such changes, with its
   * permission and checks. Runs in one transaction.
   *
   * @param force also when it was changed since
   * @return the new change, with the version as its cause. Validation alone stores nothing
   * @throws Refusal FORBIDDEN, NOT_FOUND also for a version of another tenant, VERSION_MISMATCH
   *     when it was changed since, with later versions, ILLEGAL_STATE for a version that cannot be
   *     reverted, and the refusals of the command
   */
  public ConfigVersion revert(Actor actor, long version, boolean force, boolean validateOnly) {
    Permissions.require(actor, "revertConfigVersion");
    return transactions.callOrTry(
        validateOnly,
        () -> {
          ConfigVersion of = queries.version(actor, version);
          RevertRequest request =
              new RevertRequest(
                  actor.because(new Cause(actor.cause().reason(), version)), of, force);
          possible(request);
          List<ConfigVersion> later = since(actor, of);
          if (!force && !later.isEmpty()) {
            throw changed(of, later);
          }
          taken(request);
          return since(actor, of).stream().findFirst().orElse(of);
        });
  }

  private static void possible(RevertRequest request) {
    String instead = NEVER_CHANGED.get(request.of().change().kind());
    if (instead != null) {
      throw request.refused(instead);
    }
    if (request.of().change().before() == null) {
      throw request.refused(
          "created it, and a revert deletes nothing: delete it yourself if you no longer need it");
    }
    if (request.of().change().after() == null) {
      throw request.refused(
          "removed it, and a revert creates nothing: create it with its earlier values");
    }
  }

  private void taken(RevertRequest request) {
    try {
      Objects.requireNonNull(reverts.get(request.of().change().kind())).revert(request);
    } catch (Refusal refused) {
      throw switch (refused.code()) {
        case NOT_FOUND ->
            request.refused(
                "concerns an object that no longer exists, and a revert creates nothing. Create it"
                    + " with its earlier values");
        case VERSION_MISMATCH -> changed(request.of(), since(request.actor(), request.of()));
        default -> refused;
      };
    }
  }

  /** Later versions of the same object, the newest first. */
  private List<ConfigVersion> since(Actor actor, ConfigVersion of) {
    return queries
        .newest(actor, of.change().kind(), of.change().name(), Long.MAX_VALUE, SHOWN)
        .stream()
        .filter(each -> each.version() > of.version())
        .toList();
  }

  private static Refusal changed(ConfigVersion of, List<ConfigVersion> later) {
    String versions =
        later.isEmpty()
            ? "by a change that is not in this history"
            : "by version "
                + later.stream()
                    .map(each ->
                        each.version() + " (" + each.operation() + ", " + each.actor() + ")")
                    .collect(Collectors.joining(", "));
    return new Refusal(
        ProblemCode.VERSION_MISMATCH,
        "%s \"%s\" was changed since version %d, %s. Revert the newest changes first, or send force=true to revert regardless of later changes."
            .formatted(of.change().kind(), of.change().name(), of.version(), versions));
  }
}
