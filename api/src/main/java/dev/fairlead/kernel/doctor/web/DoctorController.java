package dev.fairlead.kernel.doctor.web;

import dev.fairlead.kernel.doctor.Check;
import dev.fairlead.kernel.doctor.service.Doctor;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Says what is wrong with the installation. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT + "/checks",
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Service")
class DoctorController {
  private final Doctor doctor;

  DoctorController(Doctor doctor) {
    this.doctor = doctor;
  }

  /**
   * One thing that was looked at.
   *
   * @param area such as leases
   * @param subject what of it, such as scheduler
   * @param verdict OK; WARNING: works, something can go wrong because of it; PROBLEM: something
   *     does not work because of it
   * @param found what was seen, for people
   * @param next what to do; null when it is well
   */
  record CheckResponse(
      String area, String subject, Check.Verdict verdict, String found, @Nullable String next) {
    static CheckResponse of(Check check) {
      return new CheckResponse(
          check.area(), check.subject(), check.verdict(), check.found(), check.next());
    }
  }

  @Operation(
      operationId = "listChecks",
      summary = "List problems of the installation with next steps",
      description =
          "Looks at the database, roles, migrations, leases, the loops of the process that answers,"
              + " clocks, clusters, keys, partitions, retention and the audit, and changes nothing."
              + " The worst come first.")
  @GetMapping
  Page<CheckResponse> checks(Actor actor) {
    return Page.whole(doctor.examine(actor).stream().map(CheckResponse::of).toList());
  }
}
