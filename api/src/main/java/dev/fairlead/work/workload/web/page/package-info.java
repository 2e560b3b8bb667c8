/**
 * Serves pages of sessions: passes requests of browsers to the servers of running members, without
 * the cookies and tokens of the service.
 */
@NullMarked
package dev.fairlead.work.workload.web.page;

import org.jspecify.annotations.NullMarked;
