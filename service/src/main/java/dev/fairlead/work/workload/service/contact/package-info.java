/** A supervisor's view of its cluster: contact, state and nodes. */
@NullMarked
package dev.fairlead.work.workload.service.contact;

import org.jspecify.annotations.NullMarked;
