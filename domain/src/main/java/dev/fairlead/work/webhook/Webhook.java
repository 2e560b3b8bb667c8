package dev.fairlead.work.webhook;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.EventFilter;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The URL that receives events of a tenant or a project, and the filter of the events. The secret
 * of its signatures is derived from the key of the installation and is not stored.
 *
 * @param name DNS label, unique within the tenant or project
 * @param project name of the project, or null for all projects of the tenant
 * @param url {@code https://} address without user, query and fragment
 * @param caData base64 of PEM certificates that sign the certificate of the address, or null for
 *     the trusted certificates of the system
 * @param types types of events, or empty for all
 */
public record Webhook(
    WebhookId id,
    String name,
    @Nullable String project,
    String url,
    @Nullable String caData,
    SortedSet<String> types) {
  public static final ConfigType<Webhook> DOCUMENTS =
      new ConfigType<>(ConfigKind.WEBHOOK, Webhook.class);

  /** Maximum number of webhooks of a tenant, its projects included. */
  public static final int MOST = 100;

  /** Maximum number of webhooks of an installation. */
  public static final int MOST_OF_ALL = 1_000;

  /** Maximum characters of a URL. */
  public static final int LONGEST_URL = 1_024;

  public Webhook {
    types = Collections.unmodifiableSortedSet(new TreeSet<>(types));
  }

  /** Name of the document: names of webhooks are unique within their tenant or project only. */
  public static String document(TenantId tenant, @Nullable ProjectId project, String name) {
    return (project == null ? tenant.text() : project.text()) + "/" + name;
  }

  /** The events that the webhook of the document receives. */
  public static EventFilter filter(ConfigDocument<Webhook> document) {
    TenantId tenant = document.tenant();
    if (tenant == null) {
      throw new IllegalArgumentException("webhook " + document.name() + " has no tenant");
    }
    return new EventFilter(tenant, document.project(), null, document.value().types());
  }
}
