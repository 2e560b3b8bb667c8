/** Chain of sealed audit records and its verification. */
@NullMarked
package dev.fairlead.people.audit.chain;

import org.jspecify.annotations.NullMarked;
