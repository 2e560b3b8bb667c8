/** Policies over REST. */
@NullMarked
package dev.fairlead.work.policy.web;

import org.jspecify.annotations.NullMarked;
