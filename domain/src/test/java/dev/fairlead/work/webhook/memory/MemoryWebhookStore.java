package dev.fairlead.work.webhook.memory;

import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.webhook.Webhook;
import dev.fairlead.work.webhook.WebhookDelivery;
import dev.fairlead.work.webhook.WebhookId;
import dev.fairlead.work.webhook.WebhookRound;
import dev.fairlead.work.webhook.WebhookState;
import dev.fairlead.work.webhook.WebhookStatus;
import dev.fairlead.work.webhook.WebhookStore;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link WebhookStore}. */
public final class MemoryWebhookStore implements WebhookStore {
  private final MemoryDatabase database;
  private final ConfigStore configs;
  private final MemoryTable<WebhookId, WebhookState> states;
  private final MemoryTable<Key, WebhookDelivery> deliveries;

  public MemoryWebhookStore(MemoryDatabase database, ConfigStore configs) {
    this.database = database;
    this.configs = configs;
    this.states = database.table();
    this.deliveries = database.table();
  }

  private record Key(WebhookId webhook, EventPosition position) implements Comparable<Key> {
    static Key of(WebhookDelivery delivery) {
      return new Key(delivery.webhook(), delivery.position());
    }

    @Override
    public int compareTo(Key other) {
      return Comparator.comparing(Key::webhook).thenComparing(Key::position).compare(this, other);
    }
  }

  private boolean configured(WebhookState state) {
    return configs.find(Webhook.DOCUMENTS, state.tenant(), state.document()).isPresent();
  }

  @Override
  public List<WebhookState> all() {
    return database.call(() -> states.all().stream().filter(this::configured).toList());
  }

  @Override
  public Optional<WebhookState> find(TenantId tenant, String document) {
    return all().stream()
        .filter(each -> each.tenant().equals(tenant) && each.document().equals(document))
        .findFirst();
  }

  @Override
  public Optional<WebhookState> locked(TenantId tenant, String document) {
    return find(tenant, document);
  }

  @Override
  public void insert(WebhookState state) {
    update(state);
  }

  @Override
  public void update(WebhookState state) {
    database.run(() -> states.put(state.id(), state));
  }

  @Override
  public Set<WebhookId> advance(Collection<WebhookRound.Result> results) {
    return database.call(() ->
        results.stream()
            .filter(this::advance)
            .map(result -> result.state().id())
            .collect(Collectors.toSet()));
  }

  private boolean advance(WebhookRound.Result result) {
    return database.call(() -> {
      WebhookState next = result.state();
      WebhookState now = states.find(next.id()).filter(this::configured).orElse(null);
      if (now == null || now.epoch() != next.epoch()) {
        return false;
      }
      boolean active = now.status() == WebhookStatus.ACTIVE;
      states.put(
          next.id(),
          next.with()
              .status(active ? next.status() : now.status())
              .reason(active ? next.reason() : now.reason())
              .secrets(now.secrets())
              .build());
      replace(next.tenant(), result.removed(), result.written());
      return true;
    });
  }

  private Stream<WebhookDelivery> of(WebhookId webhook) {
    return deliveries.all().stream().filter(each -> each.webhook().equals(webhook));
  }

  @Override
  public Backlog backlog(WebhookId webhook) {
    return database.call(() ->
        new Backlog(
            of(webhook).filter(each -> !each.dead()).toList(),
            Math.toIntExact(of(webhook).filter(WebhookDelivery::dead).count())));
  }

  @Override
  public List<WebhookDelivery> deliveries(
      TenantId tenant, WebhookId webhook, @Nullable EventPosition before, int limit) {
    return database.call(() ->
        of(webhook)
            .filter(each -> before == null || each.position().compareTo(before) < 0)
            .sorted(Comparator.comparing(WebhookDelivery::position).reversed())
            .limit(limit)
            .toList());
  }

  @Override
  public void replace(
      TenantId tenant, List<WebhookDelivery> removed, List<WebhookDelivery> written) {
    database.run(() -> {
      removed.forEach(each -> deliveries.remove(Key.of(each)));
      written.forEach(each -> deliveries.put(Key.of(each), each));
    });
  }

  @Override
  public int forget(Instant before, int limit) {
    return database.call(() -> {
      List<WebhookDelivery> old =
          deliveries.all().stream()
              .filter(each -> each.dead() && each.nextAt().isBefore(before))
              .limit(limit)
              .toList();
      old.forEach(each -> deliveries.remove(Key.of(each)));
      return old.size();
    });
  }
}
