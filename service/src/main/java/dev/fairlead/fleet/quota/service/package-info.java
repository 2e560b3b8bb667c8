/** Use cases of quotas and queues. */
@NullMarked
package dev.fairlead.fleet.quota.service;

import org.jspecify.annotations.NullMarked;
