package dev.fairlead.fleet.quota.web;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Texts of the OpenAPI document for quota operations. */
interface QuotaOperations {
  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listQueues",
      tags = "Quotas",
      summary = "List queues",
      description = "Lists the leaves of the quota tree, which accept jobs, with their use.")
  @interface Queues {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listQuotas",
      tags = "Quotas",
      summary = "Read the quota tree",
      description = "Returns every node with its use, by depth, then name.")
  @interface Tree {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "getQuota",
      tags = "Quotas",
      summary = "Read a quota node or queue",
      description = "Takes an id or a name. A change requires the returned ETag.")
  @interface Get {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listQuotaWindows",
      tags = "Quotas",
      summary = "List current and future limits of a quota node",
      description =
          "Lists current amounts and their future changes by start, for limits with"
              + " windows. Empty for a node with constant limits.")
  @interface Windows {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "getQueue",
      tags = "Quotas",
      summary = "Read a queue",
      description = "Takes an id or a name. A change requires the returned ETag.")
  @interface GetQueue {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "updateQueue",
      tags = "Quotas",
      summary = "Change a queue",
      description =
          "JSON Merge Patch (RFC 7396) of order, state, preemption rules, weight and"
              + " limits. Requires If-Match with the ETag of the read. Same as a change of the"
              + " quota node.",
      requestBody =
          @RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = QuotaRequest.Patch.class))))
  @interface UpdateQueue {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "createQuota",
      tags = "Quotas",
      summary = "Create a quota node or queue",
      description =
          "A node with queue set accepts jobs. Any other node can have children. Requires"
              + " the role admin.",
      requestBody =
          @RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = QuotaRequest.class))))
  @ApiResponse(
      responseCode = "201",
      description = "Quota node created.",
      useReturnTypeSchema = true)
  @interface Create {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "updateQuota",
      tags = "Quotas",
      summary = "Change a quota node or queue",
      description =
          "JSON Merge Patch (RFC 7396): a given value replaces, and null removes. Name and"
              + " parent cannot be changed. Requires If-Match with the ETag of the read.",
      requestBody =
          @RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = QuotaRequest.Patch.class))))
  @interface Update {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "deleteQuota",
      tags = "Quotas",
      summary = "Delete a quota node or queue",
      description = "Refused while it has children, jobs or a project. Requires If-Match.")
  @ApiResponse(responseCode = "204", description = "Quota node deleted.")
  @interface Delete {}
}
