/** Legal holds: protect jobs and decisions from retention. */
@NullMarked
package dev.fairlead.people.legalhold;

import org.jspecify.annotations.NullMarked;
