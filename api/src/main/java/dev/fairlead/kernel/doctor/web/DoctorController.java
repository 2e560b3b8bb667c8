package dev.fairlead.kernel.doctor.web;

import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.doctor.service.Doctor;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.web.bind.annotation.GetMapping;

/** Reports problems of the installation. */
@ApiController(ApiPaths.ROOT + "/checks")
@Tag(name = "Service")
class DoctorController {
  private final Doctor doctor;

  DoctorController(Doctor doctor) {
    this.doctor = doctor;
  }

  @Operation(
      operationId = "listChecks",
      summary = "Check the installation",
      description =
          "Checks the database, roles, migrations, leases, the loops of the responding"
              + " process, clocks, clusters, keys, partitions, retention and the audit, without"
              + " any change. Returns problems and warnings first, each with the next step.")
  @GetMapping
  Page<DoctorCheck> checks(Actor actor) {
    return Page.whole(doctor.examine(actor));
  }
}
