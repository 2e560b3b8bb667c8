package dev.fairlead.work.serving.service;

import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.key.ServiceKey;
import dev.fairlead.work.serving.key.ServiceKeyBuilder;
import dev.fairlead.work.serving.key.ServiceKeyStore;
import dev.fairlead.work.serving.key.ServiceKeyText;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Creates, lists and revokes API keys of model services, and reports their use. */
@Service
public class ServiceKeys {
  private final ModelServices services;
  private final ServiceKeyStore keys;
  private final Transactions transactions;
  private final AuditLog audit;
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();

  public ServiceKeys(
      ModelServices services,
      ServiceKeyStore keys,
      Transactions transactions,
      AuditLog audit,
      InstantSource clock) {
    this.services = services;
    this.keys = keys;
    this.transactions = transactions;
    this.audit = audit;
    this.clock = clock;
  }

  /**
   * A key to create.
   *
   * @param name DNS label
   * @param requestsPerMinute 1 to {@link ServiceKey#HIGHEST_LIMIT}, null for no limit
   * @param tokensPerMinute as requestsPerMinute
   */
  public record NewKey(
      String name,
      Duration lifetime,
      @Nullable Integer requestsPerMinute,
      @Nullable Integer tokensPerMinute) {}

  /**
   * A new key with its text, which is not stored.
   *
   * @param text null for a dry run
   */
  public record Made(ServiceKeyView view, @Nullable Secret text) {}

  /**
   * Keys of a service by name, with expired and revoked ones.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public List<ServiceKeyView> all(Actor actor, ModelServices.Name name) {
    Permissions.require(actor, "listServiceKeys");
    Instant now = clock.instant();
    return transactions.read(() ->
        keys.keys(actor.tenant(), services.id(actor, name)).stream()
            .map(each -> ServiceKeyView.of(name.service(), each, now))
            .toList());
  }

  /**
   * Creates a key. Gates know it within seconds.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, NAME_IN_USE for the name of another key, also of a
   *     revoked one, LIMIT_EXCEEDED above {@link ServiceKey#MOST} valid keys
   */
  public Made create(Actor actor, ModelServices.Name name, NewKey wanted, boolean validateOnly) {
    Permissions.require(actor, "createServiceKey");
    Secret text = text();
    try {
      ServiceKey key =
          transactions.callOrTry(
              validateOnly, () -> added(actor, services.id(actor, name), wanted, text));
      return new Made(
          ServiceKeyView.of(name.service(), key, clock.instant()), validateOnly ? null : text);
    } catch (Conflict taken) {
      throw Refusal.field(
          ProblemCode.NAME_IN_USE,
          "/name",
          "Service \"%s\" has or had a key \"%s\". Choose another name: the name remains with the usage of a revoked key."
              .formatted(name.service(), wanted.name()),
          null);
    }
  }

  private Secret text() {
    byte[] bits = new byte[ServiceKeyText.BYTES];
    random.nextBytes(bits);
    return new Secret(ServiceKeyText.of(bits));
  }

  private ServiceKey added(Actor actor, ModelServiceId service, NewKey wanted, Secret text) {
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    List<ServiceKey> kept = keys.locked(actor.tenant(), service, now.minus(ServiceKeyStore.KEPT));
    long valid = kept.stream().filter(each -> each.validAt(now)).count();
    if (valid >= ServiceKey.MOST) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "The service has %d valid keys, the maximum. Revoke unused ones.".formatted(valid));
    }
    if (kept.size() >= ServiceKey.MOST_KEPT) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "The service has %d keys with revoked and expired ones, the maximum. Continue with a valid key: a key is deleted %d days after its end."
              .formatted(kept.size(), ServiceKeyStore.KEPT.toDays()));
    }
    ServiceKey key =
        ServiceKeyBuilder.builder()
            .key(new ServiceKey.Name(service, wanted.name()))
            .tenant(actor.tenant())
            .hash(ServiceKeyText.hash(text.reveal()))
            .createdBy(actor.name())
            .createdAt(now)
            .expiresAt(now.plus(wanted.lifetime()))
            .revokedAt(null)
            .requestsPerMinute(wanted.requestsPerMinute())
            .tokensPerMinute(wanted.tokensPerMinute())
            .lastUsedAt(null)
            .build();
    keys.insert(key);
    audit(actor, "createServiceKey", key);
    return key;
  }

  /**
   * Ends a key: within seconds gates refuse it. A repeated call has no effect.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND (service or key)
   */
  public void revoke(Actor actor, ModelServices.Name name, String key, boolean validateOnly) {
    String operation = "revokeServiceKey";
    Permissions.require(actor, operation);
    transactions.runOrTry(
        validateOnly,
        () -> {
          ServiceKey found =
              keys.find(actor.tenant(), new ServiceKey.Name(services.id(actor, name), key))
                  .orElseThrow(() ->
                      new Refusal(
                          ProblemCode.NOT_FOUND,
                          "Service \"%s\" has no key \"%s\".".formatted(name.service(), key)));
          if (found.revokedAt() == null) {
            keys.revoke(found.revoked(clock.instant()));
            audit(actor, operation, found);
          }
        });
  }

  private void audit(Actor actor, String operation, ServiceKey key) {
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("key", key.key().name());
    audit.append(new AuditRecord(actor, operation, key.key().service().text(), true, detail));
  }
}
