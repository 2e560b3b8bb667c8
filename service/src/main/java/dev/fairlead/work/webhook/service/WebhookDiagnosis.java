package dev.fairlead.work.webhook.service;

import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.webhook.WebhookState;
import dev.fairlead.work.webhook.WebhookStatus;
import dev.fairlead.work.webhook.WebhookStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Component;

/** Whether webhooks accept their events. */
@Component
public class WebhookDiagnosis implements Diagnosis {
  private static final Duration LONG = Duration.ofHours(1);
  private static final int MOST = 20;
  private static final String NEXT = "Follow docs/how-to/runbooks/FairleadWebhookDisabled.md.";

  private final WebhookStore webhooks;
  private final TenantStore tenants;
  private final InstantSource clock;

  public WebhookDiagnosis(WebhookStore webhooks, TenantStore tenants, InstantSource clock) {
    this.webhooks = webhooks;
    this.tenants = tenants;
    this.clock = clock;
  }

  @Override
  public String area() {
    return "webhooks";
  }

  @Override
  public List<DoctorCheck> look() {
    List<WebhookState> all = webhooks.all();
    Instant late = clock.instant().minus(LONG);
    List<WebhookState> failing = all.stream().filter(each -> failing(each, late)).toList();
    List<DoctorCheck> found = new ArrayList<>();
    found.add(
        DoctorCheck.ok(
            area(),
            "delivery",
            "%d of %d webhooks accept events or are paused"
                .formatted(all.size() - failing.size(), all.size())));
    failing.stream().limit(MOST).map(this::failing).forEach(found::add);
    return found;
  }

  private static boolean failing(WebhookState state, Instant late) {
    Instant since = state.health().failingSince();
    return switch (state.status()) {
      case ACTIVE -> since != null && since.isBefore(late);
      case PAUSED -> false;
      case DISABLED -> true;
    };
  }

  private DoctorCheck failing(WebhookState state) {
    String tenant = tenants.tenant(state.tenant()).map(Tenant::name).orElse(state.tenant().text());
    String name = state.document().substring(state.document().indexOf('/') + 1);
    String found =
        state.status() == WebhookStatus.DISABLED
            ? "\"%s\" of tenant %s is disabled: %s".formatted(name, tenant, state.reason())
            : "\"%s\" of tenant %s has accepted nothing since %s, %d consecutive calls"
                .formatted(name, tenant, state.health().failingSince(), state.health().failures());
    return DoctorCheck.warning(area(), state.id().text(), found, NEXT);
  }
}
