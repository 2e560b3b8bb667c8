package dev.fairlead.work.serving.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.Rollout;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServingStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Checks that no rollout of a model service remains paused. */
@Component
public class ServiceDiagnosis implements Diagnosis {
  private static final Duration LONGEST = Duration.ofHours(4);
  private static final int MOST = 20;
  private static final String NEXT = "Follow docs/how-to/runbooks/FairleadRolloutPaused.md.";

  private final ServingStore services;
  private final ConfigStore documents;
  private final TenantStore tenants;
  private final InstantSource clock;

  public ServiceDiagnosis(
      ServingStore services, ConfigStore documents, TenantStore tenants, InstantSource clock) {
    this.services = services;
    this.documents = documents;
    this.tenants = tenants;
    this.clock = clock;
  }

  @Override
  public String area() {
    return "services";
  }

  @Override
  public List<DoctorCheck> look() {
    List<ServiceState> all = services.all();
    Instant late = clock.instant().minus(LONGEST);
    List<ServiceState> paused =
        all.stream()
            .filter(each -> since(each).isBefore(late))
            .sorted(Comparator.comparing(ServiceDiagnosis::since))
            .toList();
    List<DoctorCheck> found = new ArrayList<>();
    found.add(
        DoctorCheck.ok(
            area(),
            "rollouts",
            "%d of %d services have no rollout that was paused %d h ago or earlier"
                .formatted(all.size() - paused.size(), all.size(), LONGEST.toHours())));
    Map<String, ConfigDocument<ModelService>> settings =
        paused.isEmpty() ? Map.of() : documents.byName(ModelService.DOCUMENTS);
    paused.stream()
        .limit(MOST)
        .map(each -> paused(each, settings.get(each.document())))
        .forEach(found::add);
    return found;
  }

  private static Instant since(ServiceState state) {
    return state.pause().map(Rollout.Pause::since).orElse(Instant.MAX);
  }

  private DoctorCheck paused(ServiceState state, @Nullable ConfigDocument<ModelService> document) {
    String tenant = tenants.tenant(state.tenant()).map(Tenant::name).orElse(state.tenant().text());
    String name =
        document == null
            ? state.document()
            : document.value().project() + "/" + document.value().name();
    Rollout rollout = state.rollout();
    return DoctorCheck.warning(
        area(),
        state.id().text(),
        "the rollout of service %s/%s is %s"
            .formatted(tenant, name, rollout == null ? "" : rollout.reason()),
        NEXT);
  }
}
