// CUB as a peer of `treefold bench`: target/cub OPERATOR TYPE ELEMENTS INPUT, as treefold bench --help says of peers that are commands.
// Calls back to back between two events, over windows that rotate through TREEFOLD_POOL_BYTES, 64 of them at most.
//
//     nvcc -O3 -std=c++17 -arch=native -o target/cub benches/peers/cub.cu
//     treefold bench fast_sum,min,argmin --size 2^28 --adapter 0 --peer cub=target/cub
//
// Sums, min, max, argmin and argmax over all and over segments, histograms of equal bins, sums of runs of equal keys.

#include <cub/cub.cuh>
#include <cuda/std/functional>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr int NOT_COMPUTED = 3;

void check(cudaError_t error, int line) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "cub.cu:%d: %s\n", line, cudaGetErrorString(error));
        std::exit(1);
    }
}
#define CHECK(call) check(call, __LINE__)

__global__ void fill_keys(uint32_t *to, size_t count, size_t run) {
    size_t step = size_t{gridDim.x} * blockDim.x;
    for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) to[i] = static_cast<uint32_t>(i / run);
}

template <typename T> T *device(size_t count) {
    void *bytes = nullptr;
    CHECK(cudaMalloc(&bytes, count * sizeof(T)));
    return static_cast<T *>(bytes);
}

size_t told(const char *name) {
    const char *text = std::getenv(name);
    if (text == nullptr) {
        std::fprintf(stderr, "cub: %s is not set; treefold bench --peer cub=target/cub sets it\n", name);
        std::exit(2);
    }
    return std::strtoull(text, nullptr, 10);
}

// A call of CUB over elements from here on: with no scratch memory it says how much it wants.
template <typename T> using Call = std::function<cudaError_t(void *, size_t &, const T *)>;

// Elements on the device, and the clock.
template <typename T> struct Bench {
    size_t count;
    size_t windows;
    T *pool;
    void *output = nullptr;

    explicit Bench(size_t count) : count(count) {
        windows = std::min<size_t>(64, std::max<size_t>(1, told("TREEFOLD_POOL_BYTES") / (count * sizeof(T))));
        const char *name = std::getenv("TREEFOLD_BLOCK");
        std::ifstream file(name ? name : "", std::ios::binary);
        std::vector<char> block((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        if (block.empty()) {
            std::fprintf(stderr, "cub: TREEFOLD_BLOCK is no file of elements\n");
            std::exit(2);
        }
        size_t bytes = count * windows * sizeof(T);
        pool = device<T>(count * windows);
        char *to = reinterpret_cast<char *>(pool);
        size_t there = std::min(block.size(), bytes);
        CHECK(cudaMemcpy(to, block.data(), there, cudaMemcpyHostToDevice));
        for (size_t at = there; at < bytes; at += there) CHECK(cudaMemcpy(to + at, to, std::min(there, bytes - at), cudaMemcpyDeviceToDevice));
        output = device<char>(16 << 20);
    }

    template <typename R> R *to() const { return static_cast<R *>(output); }

    // Prints the samples of a call, and what `answer` reads of the output behind a call over the first window.
    void time(const Call<T> &call, const std::function<std::string()> &answer = nullptr) {
        size_t samples = told("TREEFOLD_SAMPLES"), wanted = 0;
        auto warm = std::chrono::milliseconds(told("TREEFOLD_WARM_MS"));
        CHECK(call(nullptr, wanted, pool));
        void *scratch = device<char>(std::max<size_t>(1, wanted));
        CHECK(call(scratch, wanted, pool));
        CHECK(cudaDeviceSynchronize());
        std::string number = answer ? answer() : "", found = number.empty() ? "" : ",\"answer\":[" + number + "]";
        int repeats = count <= size_t{1} << 22 ? 200 : 20;
        cudaEvent_t begin, end;
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
        std::vector<double> times;
        auto begun = std::chrono::steady_clock::now();
        for (int taken = 0; times.size() < samples;) {
            CHECK(cudaEventRecord(begin));
            for (int repeat = 0; repeat < repeats; repeat++) CHECK(call(scratch, wanted, pool + repeat % windows * count));
            CHECK(cudaEventRecord(end));
            CHECK(cudaEventSynchronize(end));
            float milliseconds = 0;
            CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
            if (++taken > 2 && std::chrono::steady_clock::now() - begun >= warm) times.push_back(milliseconds * 1e3 / repeats);
        }
        std::printf("{\"what\":\"kernel\",\"name\":\"CUB %d.%d.%d\",\"us\":[", CUB_VERSION / 100000, CUB_VERSION / 100 % 1000, CUB_VERSION % 100);
        for (size_t i = 0; i < times.size(); i++) std::printf("%s%.4f", i ? "," : "", times[i]);
        std::printf("]%s}\n", found.c_str());
        std::exit(0);
    }

    template <typename R> std::function<std::string()> number() {
        return [this] {
            R found;
            CHECK(cudaMemcpy(&found, output, sizeof found, cudaMemcpyDeviceToHost));
            if (!std::isfinite(static_cast<double>(found))) return std::string();
            char text[64];
            std::snprintf(text, sizeof text, "%.17g", static_cast<double>(found));
            return std::string(text);
        };
    }
};

std::string option(const std::string &options, const std::string &name) {
    size_t at = options.find(name + "=");
    if (at == std::string::npos) return "";
    at += name.size() + 1;
    return options.substr(at, options.find_first_of(",)", at) - at);
}

// Sums of narrow integers need more bits than they have.
template <typename T> struct SumOf { using type = T; };
template <> struct SumOf<int8_t> { using type = int; };
template <> struct SumOf<uint8_t> { using type = unsigned; };

template <typename T> void over(const std::string &name, const std::string &options, size_t count, const std::string &input) {
    using S = typename SumOf<T>::type;
    auto n = static_cast<int64_t>(count);
    bool sum = name == "sum" || name == "fast_sum" || name == "wrapping_sum";
    size_t length = 0;
    if (input.rfind("segments of ", 0) == 0 || input.rfind("runs of ", 0) == 0) length = std::strtoull(input.c_str() + input.find("of ") + 3, nullptr, 10);
    if (input == "whole" && sum) {
        Bench<T> bench(count);
        bench.time(
            [=](void *t, size_t &bytes, const T *x) { return cub::DeviceReduce::Reduce(t, bytes, x, bench.template to<S>(), n, cuda::std::plus<>{}, S{}); },
            bench.template number<S>());
    } else if (input == "whole" && (name == "min" || name == "max")) {
        Bench<T> bench(count);
        bool min = name == "min";
        bench.time(
            [=](void *t, size_t &bytes, const T *x) {
                T *to = bench.template to<T>();
                return min ? cub::DeviceReduce::Min(t, bytes, x, to, n) : cub::DeviceReduce::Max(t, bytes, x, to, n);
            },
            bench.template number<T>());
    } else if (input == "whole" && (name == "argmin" || name == "argmax") && count < size_t{1} << 31) {
        Bench<T> bench(count);
        bool min = name == "argmin";
        bench.time([=](void *t, size_t &bytes, const T *x) {
            auto *to = bench.template to<cub::KeyValuePair<int, T>>();
            int all = static_cast<int>(count);
            return min ? cub::DeviceReduce::ArgMin(t, bytes, x, to, all) : cub::DeviceReduce::ArgMax(t, bytes, x, to, all);
        });
    } else if (input == "whole" && name == "histogram" && !option(options, "range").empty()) {
        Bench<T> bench(count);
        std::string range = option(options, "range");
        int bins = std::atoi(option(options, "bins").c_str());
        if (bins > 1 << 22) std::exit(NOT_COMPUTED);  // more than the output holds
        T low = static_cast<T>(std::atof(range.c_str())), high = static_cast<T>(std::atof(range.c_str() + range.find(':') + 1));
        bench.time([=](void *t, size_t &bytes, const T *x) {
            return cub::DeviceHistogram::HistogramEven(t, bytes, x, bench.template to<uint32_t>(), bins + 1, low, high, n);
        });
    } else if (length > 0 && sum && input[0] == 's') {
        Bench<T> bench(count);
        size_t number = (count + length - 1) / length;
        std::vector<int64_t> ends(number + 1);
        for (size_t i = 0; i <= number; i++) ends[i] = static_cast<int64_t>(std::min(i * length, count));
        int64_t *offsets = device<int64_t>(number + 1);
        T *sums = device<T>(number);
        CHECK(cudaMemcpy(offsets, ends.data(), ends.size() * sizeof(int64_t), cudaMemcpyHostToDevice));
        bench.time([=](void *t, size_t &bytes, const T *x) {
            return cub::DeviceSegmentedReduce::Sum(t, bytes, x, sums, static_cast<int64_t>(number), offsets, offsets + 1);
        });
    } else if (length > 0 && sum) {
        Bench<T> bench(count);
        uint32_t *keys = device<uint32_t>(count), *unique = device<uint32_t>(count);
        T *sums = device<T>(count);
        fill_keys<<<4096, 256>>>(keys, count, length);
        CHECK(cudaGetLastError());
        bench.time([=](void *t, size_t &bytes, const T *x) {
            return cub::DeviceReduce::ReduceByKey(t, bytes, keys, unique, x, sums, bench.template to<int>(), cuda::std::plus<>{}, n);
        });
    }
    std::exit(NOT_COMPUTED);
}

} // namespace

int main(int count, char **words) {
    if (count != 5) {
        std::fprintf(stderr, "cub: OPERATOR TYPE ELEMENTS INPUT; treefold bench --peer cub=target/cub calls it so\n");
        return 2;
    }
    std::string name = words[1], dtype = words[2], input = words[4], options;
    size_t elements = std::strtoull(words[3], nullptr, 10), at = name.find('(');
    if (at != std::string::npos) {
        options = name.substr(at + 1);
        name = name.substr(0, at);
    }
    if (dtype == "f32") over<float>(name, options, elements, input);
    if (dtype == "f64") over<double>(name, options, elements, input);
    if (dtype == "i32") over<int32_t>(name, options, elements, input);
    if (dtype == "u32") over<uint32_t>(name, options, elements, input);
    if (dtype == "i64") over<int64_t>(name, options, elements, input);
    if (dtype == "i8") over<int8_t>(name, options, elements, input);
    if (dtype == "u8") over<uint8_t>(name, options, elements, input);
    return NOT_COMPUTED;
}
