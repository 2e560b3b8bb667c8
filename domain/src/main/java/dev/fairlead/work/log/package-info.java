/** Output of members that stays when their pods are gone. */
@NullMarked
package dev.fairlead.work.log;

import org.jspecify.annotations.NullMarked;
