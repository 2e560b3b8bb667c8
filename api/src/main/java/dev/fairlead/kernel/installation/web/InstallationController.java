package dev.fairlead.kernel.installation.web;

import dev.fairlead.kernel.installation.service.Installations;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Tells which installation this is, and takes an operator's word after a restore. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT + "/installation",
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Service")
class InstallationController {
  private final Installations installations;

  InstallationController(Installations installations) {
    this.installations = installations;
  }

  /**
   * One database of Fairlead.
   *
   * @param id as in the label {@code fairlead.dev/installation} of everything on a cluster
   * @param incarnation 1 at first; rises when a restored database is declared to be the live one
   */
  record InstallationResponse(String id, int incarnation) {}

  @Operation(
      operationId = "getInstallation",
      summary = "Which installation this is",
      description =
          "Its id is in a label of everything on a cluster. The ETag is its incarnation, which is"
              + " needed to raise it.")
  @GetMapping
  ResponseEntity<InstallationResponse> installation() {
    return tagged(installations.current());
  }

  @Operation(
      operationId = "raiseIncarnation",
      summary = "Declare this database to be the live one",
      description =
          "After a restore, when the other database is ended for good: clusters that were only"
              + " reported, since they know a later state than this one, are acted on again. Only"
              + " an administrator may, with the ETag that reading gave.")
  @PostMapping("/raise-incarnation")
  ResponseEntity<InstallationResponse> raise(
      Actor actor, @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    long seen = options.expected(() -> installations.current().incarnation());
    return tagged(installations.raise(actor, seen, options.validateOnly()));
  }

  private static ResponseEntity<InstallationResponse> tagged(Installation installation) {
    return ResponseEntity.ok()
        .eTag(Etags.of(installation.incarnation()))
        .body(new InstallationResponse(installation.label(), installation.incarnation()));
  }
}
