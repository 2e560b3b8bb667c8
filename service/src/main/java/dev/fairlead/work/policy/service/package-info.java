/** Use cases of policies, and their check of each submit. */
@NullMarked
package dev.fairlead.work.policy.service;

import org.jspecify.annotations.NullMarked;
