/** REST endpoints of quotas and queues. */
@NullMarked
package dev.fairlead.fleet.quota.web;

import org.jspecify.annotations.NullMarked;
