package dev.fairlead.kernel.installation.web;

import dev.fairlead.kernel.installation.service.Installations;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;

/**
 * Reports the identity of the installation, and accepts an operator's confirmation after a restore.
 */
@ApiController(ApiPaths.ROOT + "/installation")
@Tag(name = "Service")
class InstallationController {
  private final Installations installations;

  InstallationController(Installations installations) {
    this.installations = installations;
  }

  /**
   * One database of Fairlead.
   *
   * @param id id in the label {@code fairlead.dev/installation} of every object on a cluster
   * @param incarnation generation of the database, from 1. It rises when an operator declares a
   *     restored database to be the live one
   */
  record InstallationResponse(String id, int incarnation) {}

  @Operation(
      operationId = "getInstallation",
      summary = "Read the installation",
      description =
          "Returns the id of the installation, which is in a label of every object on a"
              + " cluster. The ETag is the incarnation, which is required to raise it.")
  @GetMapping
  ResponseEntity<InstallationResponse> installation() {
    return tagged(installations.current());
  }

  @Operation(
      operationId = "raiseIncarnation",
      summary = "Declare this database the live one",
      description =
          "Use it after a restore, when the other database has been shut down permanently."
              + " Clusters with a later state than this database, for which differences were"
              + " only reported until now, are reconciled again. Requires the role admin and the"
              + " ETag of the read.")
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
