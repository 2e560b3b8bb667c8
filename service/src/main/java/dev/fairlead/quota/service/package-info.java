/** Use cases of quotas and queues. */
@NullMarked
package dev.fairlead.quota.service;

import org.jspecify.annotations.NullMarked;
