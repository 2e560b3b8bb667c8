/** In-memory implementation of the audit log. */
@NullMarked
package dev.fairlead.people.audit.memory;

import org.jspecify.annotations.NullMarked;
