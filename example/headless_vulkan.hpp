// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

/// A Vulkan device without a window: the first that there is, one queue, a pool of command buffers.
/// With the validation layer, where that is installed; what it says is printed and counted.
class headless_vulkan {
public:
    /// Check ready() before anything else. Its own objects are made by the callbacks, which must
    /// outlive it.
    explicit headless_vulkan(const VkAllocationCallbacks* callbacks = nullptr)
        : callbacks_{callbacks} {
        if (!open_instance() || !open_device())
            return;
        VkCommandPoolCreateInfo pool{};
        pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
        pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
        check(vkCreateCommandPool(device_, &pool, callbacks_, &pool_));
    }
    headless_vulkan(const headless_vulkan&) = delete;
    headless_vulkan& operator=(const headless_vulkan&) = delete;
    ~headless_vulkan() {
        if (device_ != nullptr) {
            vkDestroyCommandPool(device_, pool_, callbacks_);
            vkDestroyDevice(device_, callbacks_);
        }
        if (messenger_ != VK_NULL_HANDLE)
            function<PFN_vkDestroyDebugUtilsMessengerEXT>("vkDestroyDebugUtilsMessengerEXT")(
                instance_, messenger_, callbacks_);
        if (instance_ != nullptr)
            vkDestroyInstance(instance_, callbacks_);
    }

    /// False: no driver, or no device.
    [[nodiscard]] bool ready() const { return device_ != nullptr; }
    [[nodiscard]] VkDevice device() const { return device_; }
    [[nodiscard]] const VkPhysicalDeviceProperties& properties() const { return properties_; }
    [[nodiscard]] const VkPhysicalDeviceMemoryProperties& memory() const { return memory_; }

    [[nodiscard]] bool is_validated() const { return messenger_ != VK_NULL_HANDLE; }
    [[nodiscard]] int messages() const { return messages_; } ///< warnings and errors

    [[nodiscard]] VkCommandBuffer make_commands() const {
        VkCommandBufferAllocateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
        info.commandPool = pool_;
        info.commandBufferCount = 1;
        VkCommandBuffer made = nullptr;
        check(vkAllocateCommandBuffers(device_, &info, &made));
        return made;
    }
    [[nodiscard]] VkFence make_fence() const {
        VkFenceCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
        VkFence made = VK_NULL_HANDLE;
        check(vkCreateFence(device_, &info, nullptr, &made));
        return made;
    }
    static void begin(VkCommandBuffer commands) {
        VkCommandBufferBeginInfo info{};
        info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
        info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
        check(vkBeginCommandBuffer(commands, &info));
    }
    void submit(VkCommandBuffer commands, VkFence fence) const {
        check(vkEndCommandBuffer(commands));
        VkSubmitInfo info{};
        info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
        info.commandBufferCount = 1;
        info.pCommandBuffers = &commands;
        check(vkQueueSubmit(queue_, 1, &info, fence));
    }
    void wait_for(VkFence fence) const {
        check(vkWaitForFences(device_, 1, &fence, VK_TRUE, UINT64_MAX));
        check(vkResetFences(device_, 1, &fence));
    }
    /// Records by write(commands), and waits until it is done.
    template <class F>
    void run(F write) const {
        const VkCommandBuffer commands = make_commands();
        const VkFence fence = make_fence();
        begin(commands);
        write(commands);
        submit(commands, fence);
        wait_for(fence);
        vkDestroyFence(device_, fence, nullptr);
        vkFreeCommandBuffers(device_, pool_, 1, &commands);
    }

    static void check(VkResult result) {
        if (result != VK_SUCCESS) {
            std::fprintf(stderr, "Vulkan says %d\n", static_cast<int>(result));
            std::abort();
        }
    }

private:
    static constexpr const char* layer = "VK_LAYER_KHRONOS_validation";

    template <class F>
    [[nodiscard]] F function(const char* name) const {
        return reinterpret_cast<F>(vkGetInstanceProcAddr(instance_, name));
    }

    static bool is_installed() {
        std::uint32_t count = 0;
        vkEnumerateInstanceLayerProperties(&count, nullptr);
        std::vector<VkLayerProperties> layers(count);
        vkEnumerateInstanceLayerProperties(&count, layers.data());
        for (const VkLayerProperties& l : layers) {
            if (std::strcmp(l.layerName, layer) == 0)
                return true;
        }
        return false;
    }

    bool open_instance() {
        const bool validated = is_installed();
        const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
        VkInstanceCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
        info.enabledLayerCount = validated ? 1 : 0;
        info.ppEnabledLayerNames = &layer;
        info.enabledExtensionCount = validated ? 1 : 0;
        info.ppEnabledExtensionNames = &extension;
        if (vkCreateInstance(&info, callbacks_, &instance_) != VK_SUCCESS) {
            instance_ = nullptr;
            return false;
        }
        if (validated)
            listen();
        return true;
    }

    void listen() {
        VkDebugUtilsMessengerCreateInfoEXT info{};
        info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
        info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                               VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
        info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
        info.pfnUserCallback =
            [](VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
               const VkDebugUtilsMessengerCallbackDataEXT* said, void* self) -> VkBool32 {
            std::fprintf(stderr, "%s\n", said->pMessage);
            ++static_cast<headless_vulkan*>(self)->messages_;
            return VK_FALSE;
        };
        info.pUserData = this;
        check(function<PFN_vkCreateDebugUtilsMessengerEXT>("vkCreateDebugUtilsMessengerEXT")(
            instance_, &info, callbacks_, &messenger_));
    }

    bool open_device() {
        std::uint32_t count = 1;
        VkPhysicalDevice physical = nullptr;
        const VkResult found = vkEnumeratePhysicalDevices(instance_, &count, &physical);
        if ((found != VK_SUCCESS && found != VK_INCOMPLETE) || count == 0)
            return false;
        vkGetPhysicalDeviceProperties(physical, &properties_);
        vkGetPhysicalDeviceMemoryProperties(physical, &memory_);
        // The first family of queues: of every driver that draws, it draws, and so it copies.
        const float priority = 1;
        VkDeviceQueueCreateInfo queue{};
        queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
        queue.queueCount = 1;
        queue.pQueuePriorities = &priority;
        VkDeviceCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
        info.queueCreateInfoCount = 1;
        info.pQueueCreateInfos = &queue;
        if (vkCreateDevice(physical, &info, callbacks_, &device_) != VK_SUCCESS) {
            device_ = nullptr;
            return false;
        }
        vkGetDeviceQueue(device_, 0, 0, &queue_);
        return true;
    }

    const VkAllocationCallbacks* callbacks_;
    VkInstance instance_ = nullptr;
    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
    VkDevice device_ = nullptr;
    VkQueue queue_ = nullptr;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkPhysicalDeviceProperties properties_{};
    VkPhysicalDeviceMemoryProperties memory_{};
    int messages_ = 0;
};
