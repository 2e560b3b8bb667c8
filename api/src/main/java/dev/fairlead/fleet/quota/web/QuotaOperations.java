package dev.fairlead.fleet.quota.web;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** What the OpenAPI document says about quota operations. */
interface QuotaOperations {
  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listQueues",
      tags = "Quotas",
      summary = "List queues",
      description = "The leaves of the quota tree that take jobs, with their use.")
  @interface Queues {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listQuotas",
      tags = "Quotas",
      summary = "Read the quota tree",
      description = "Every node with its use, by depth, then name.")
  @interface Tree {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "getQuota",
      tags = "Quotas",
      summary = "Read a quota node or queue",
      description = "Takes an id or a name. The ETag is needed to change it.")
  @interface Get {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listQuotaWindows",
      tags = "Quotas",
      summary = "List the current and next limits of a quota node",
      description =
          "By start time, for limits with windows: the present amounts, and those of the next changes. Empty for a node "
              + "whose limits are always the same.")
  @interface Windows {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "getQueue",
      tags = "Quotas",
      summary = "Read a queue",
      description = "Takes an id or a name. The ETag is needed to change it.")
  @interface GetQueue {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "updateQueue",
      tags = "Quotas",
      summary = "Change a queue",
      description =
          "Its order, state, rules of preemption, weight and limits, as a JSON Merge Patch (RFC"
              + " 7396). Needs If-Match with the ETag that reading gave. The same as changing it as"
              + " a quota node.",
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
          "With queue it takes jobs, without it can have children. Only an administrator may create"
              + " one.",
      requestBody =
          @RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = QuotaRequest.class))))
  @ApiResponse(responseCode = "201", description = "Created.", useReturnTypeSchema = true)
  @interface Create {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "updateQuota",
      tags = "Quotas",
      summary = "Change a quota node or queue",
      description =
          "JSON Merge Patch (RFC 7396): given fields are replaced, null removes a field. Name and parent cannot be changed. "
              + "Needs If-Match with the ETag of a read.",
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
      description = "Refused while it has children, jobs or a project. Needs If-Match.")
  @ApiResponse(responseCode = "204", description = "Deleted.")
  @interface Delete {}
}
