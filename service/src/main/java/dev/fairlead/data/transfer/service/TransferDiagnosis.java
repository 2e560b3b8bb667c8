package dev.fairlead.data.transfer.service;

import dev.fairlead.data.transfer.Transfer;
import dev.fairlead.data.transfer.TransferStore;
import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.springframework.stereotype.Component;

/** Checks that transfers of volumes make progress. */
@Component
public class TransferDiagnosis implements Diagnosis {
  private static final Duration LONGEST = Duration.ofHours(2);
  private static final int MOST = 20;

  private final TransferStore transfers;
  private final TenantStore tenants;
  private final InstantSource clock;

  public TransferDiagnosis(TransferStore transfers, TenantStore tenants, InstantSource clock) {
    this.transfers = transfers;
    this.tenants = tenants;
    this.clock = clock;
  }

  @Override
  public String area() {
    return "transfers";
  }

  @Override
  public List<DoctorCheck> look() {
    List<Transfer> working =
        transfers.open().stream().filter(each -> each.phase().works()).toList();
    Instant late = clock.instant().minus(LONGEST);
    List<Transfer> stalled =
        working.stream()
            .filter(each -> each.status().movedAt().isBefore(late))
            .sorted(Comparator.comparing(each -> each.status().movedAt()))
            .toList();
    List<DoctorCheck> found = new ArrayList<>();
    found.add(
        DoctorCheck.ok(
            area(),
            "working",
            "%d of %d working transfers make progress"
                .formatted(working.size() - stalled.size(), working.size())));
    stalled.stream().limit(MOST).map(this::stalled).forEach(found::add);
    return found;
  }

  private DoctorCheck stalled(Transfer transfer) {
    String tenant =
        tenants.tenant(transfer.tenant()).map(Tenant::name).orElse(transfer.tenant().text());
    String project =
        tenants
            .project(transfer.tenant(), transfer.project())
            .map(Project::name)
            .orElse(transfer.project().text());
    String job = transfer.job() == null ? "without a job" : "as " + transfer.job().text();
    String message =
        transfer.status().message().isEmpty() ? "" : ": " + transfer.status().message();
    return DoctorCheck.warning(
        area(),
        transfer.id().text(),
        "the transfer to volume %s of %s/%s has been %s for %d h, %s%s"
            .formatted(
                transfer.target().name(),
                tenant,
                project,
                transfer.phase(),
                Duration.between(transfer.status().movedAt(), clock.instant()).toHours(),
                job,
                message),
        "Follow docs/how-to/runbooks/FairleadTransferStalled.md.");
  }
}
